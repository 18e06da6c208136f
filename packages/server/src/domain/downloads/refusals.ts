import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { Outcome } from "@dbdepot/contract/v2/downloads";
import type { DownloadRefusal } from "./decide.ts";

/** The result code, the outcome in the history and a description of each refusal. */
export const REFUSALS: Record<DownloadRefusal, { rc: ErrorCode; outcome: Outcome; words: string }> = {
  unknown_dataset: { rc: "UNKNOWN_DATASET", outcome: "unknown", words: "no such database for this organization" },
  not_licensed: { rc: "NOT_LICENSED", outcome: "denied", words: "no licence for the family" },
  licence_expired: { rc: "LICENSE_EXPIRED", outcome: "expired", words: "the licence has ended" },
  terms_not_accepted: {
    rc: "TERMS_NOT_ACCEPTED",
    outcome: "denied",
    words: "the terms that the licence requires are not accepted",
  },
  not_built: { rc: "INVALID_FORMAT", outcome: "unavailable", words: "the version is not built in this format" },
  no_sample: { rc: "INVALID_FORMAT", outcome: "unavailable", words: "the build has no sample in this format" },
  unknown_build: { rc: "UNKNOWN_BUILD", outcome: "unknown", words: "the build does not exist or is no longer kept" },
  not_published: { rc: "NOT_AVAILABLE", outcome: "unavailable", words: "no build is published yet" },
};
