import type { LegacyChecksums } from "@dbdepot/contract/checksums";
import { sendError } from "../errors.ts";
import type { Reply } from "../reply.ts";
import type { LegacyVisit } from "../route.ts";
import { LEGACY_REFUSALS } from "./decide.ts";
import { judgeFile } from "./requested.ts";

/** The digests of the file that a download would send now. */
export function checksum(visit: LegacyVisit): Reply {
  const verdict = judgeFile(visit);
  if (!verdict.granted) return sendError(visit.reply, LEGACY_REFUSALS[verdict.refusal].rc);
  const body: LegacyChecksums = { rc: "SUCCESS", data: verdict.file.checksums };
  return visit.reply.header("x-build-id", verdict.build.id).header("cache-control", "private, no-cache").send(body);
}
