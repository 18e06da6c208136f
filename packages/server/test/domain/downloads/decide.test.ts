import { ERRORS } from "@dbdepot/contract/shared/errors";
import { describe, expect, it } from "vitest";
import { decide } from "../../../src/domain/downloads/decide.ts";
import { REFUSALS } from "../../../src/domain/downloads/refusals.ts";
import { day, licence } from "../licences/terms.ts";
import { build, offer, sampledBuild } from "./offers.ts";

const live = [licence({ starts: day(0), expires: day(100) })];
const ended = [licence({ starts: day(0), expires: day(10) })];
const csvOnly = offer({ formats: ["csvgz"] });
const unbuilt = offer({ build: undefined });
const request = {
  licences: live,
  acceptedTerms: new Set<string>(),
  format: "mmdb",
  sample: false,
  pinned: false,
  now: day(50),
} as const;
const bound = [licence({ starts: day(0), expires: day(100), termsId: "data-licence@2" })];

describe("decide", () => {
  it("grants a valid request and returns the build", () => {
    expect(decide(offer(), request)).toEqual({ granted: true, build, open: false });
    expect(decide(offer({ visibility: "private" }), request)).toEqual({ granted: true, build, open: false });
  });

  it.each([
    ["no licence", []],
    ["an ended licence", ended],
    ["a live licence", live],
  ])("grants an open family to a caller with %s", (_, licences) => {
    expect(decide(offer({ open: true }), { ...request, licences })).toEqual({ granted: true, build, open: true });
  });

  it("keeps a private family hidden even if it is open", () => {
    const hidden = offer({ visibility: "private", open: true });
    expect(decide(hidden, { ...request, licences: [] })).toEqual({ granted: false, refusal: "unknown_dataset" });
    expect(decide(hidden, { ...request, licences: ended })).toEqual({ granted: true, build, open: true });
  });

  it.each([
    ["no licence", []],
    ["an ended licence", ended],
    ["a live licence", live],
  ])("grants a sample to a caller with %s", (_, licences) => {
    const verdict = decide(offer({ build: sampledBuild }), { ...request, sample: true, licences });
    expect(verdict).toEqual({ granted: true, build: sampledBuild, open: false });
  });

  it("keeps samples of a private family hidden", () => {
    const hidden = offer({ visibility: "private", build: sampledBuild });
    const question = { ...request, sample: true, licences: [] };
    expect(decide(hidden, question)).toEqual({ granted: false, refusal: "unknown_dataset" });
  });

  // Each case also has every fault that is checked later, so this tests the order of the checks.
  it.each([
    ["an unknown id", undefined, { licences: [] }, "unknown_dataset"],
    [
      "a private family that the caller never held a licence for",
      offer({ visibility: "private", formats: ["csvgz"], build: undefined }),
      { licences: [] },
      "unknown_dataset",
    ],
    ["a family without a licence", offer({ formats: ["csvgz"], build: undefined }), { licences: [] }, "not_licensed"],
    ["an ended licence", offer({ formats: ["csvgz"], build: undefined }), { licences: ended }, "licence_expired"],
    [
      "a licence whose terms are not accepted",
      offer({ formats: ["csvgz"], build: undefined }),
      { licences: bound, acceptedTerms: new Set(["data-licence@1"]) },
      "terms_not_accepted",
    ],
    ["a format that the version is not built in", offer({ formats: ["csvgz"], build: undefined }), {}, "not_built"],
    ["a version without a build", unbuilt, {}, "not_published"],
    ["a sample of a version without a build", unbuilt, { sample: true, licences: [] }, "not_published"],
    ["a sample of a format that the version is not built in", csvOnly, { sample: true, licences: [] }, "not_built"],
    ["a sample that the build does not have", offer(), { sample: true, licences: [] }, "no_sample"],
    ["any sample of a build without samples", offer(), { sample: true, format: undefined }, "no_sample"],
    ["a pinned build that no longer exists", unbuilt, { pinned: true }, "unknown_build"],
  ] as const)("refuses %s", (_, offer, but, refusal) => {
    expect(decide(offer, { ...request, ...but })).toEqual({ granted: false, refusal });
  });

  it("does not check the format of metadata requests, which have none", () => {
    expect(decide(csvOnly, { ...request, format: undefined })).toEqual({ granted: true, build, open: false });
    expect(decide(unbuilt, { ...request, format: undefined })).toEqual({ granted: false, refusal: "not_published" });
  });
});

describe("REFUSALS", () => {
  it.each([
    ["unknown_dataset", 404, "UNKNOWN_DATASET", "unknown"],
    ["not_licensed", 403, "NOT_LICENSED", "denied"],
    ["licence_expired", 403, "LICENSE_EXPIRED", "expired"],
    ["terms_not_accepted", 403, "TERMS_NOT_ACCEPTED", "denied"],
    ["not_built", 400, "INVALID_FORMAT", "unavailable"],
    ["no_sample", 400, "INVALID_FORMAT", "unavailable"],
    ["not_published", 503, "NOT_AVAILABLE", "unavailable"],
    ["unknown_build", 404, "UNKNOWN_BUILD", "unknown"],
  ] as const)("map %s to %i %s and the outcome %s", (refusal, status, rc, outcome) => {
    expect(REFUSALS[refusal]).toMatchObject({ rc, outcome });
    expect(ERRORS[rc].status).toBe(status);
  });
});
