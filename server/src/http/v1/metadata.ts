import type { LegacyMetadata } from "@dbdepot/contract/metadata";
import type { Build } from "../../builds/build.ts";
import { sendError } from "../errors.ts";
import type { Reply } from "../reply.ts";
import type { LegacyVisit } from "../route.ts";
import { LEGACY_REFUSALS } from "./decide.ts";
import { judgeBuild } from "./requested.ts";

/** Date, rows and sizes of the published build. */
export function metadata(visit: LegacyVisit): Reply {
  const verdict = judgeBuild(visit);
  if (!verdict.granted) return sendError(visit.reply, LEGACY_REFUSALS[verdict.refusal].rc);
  const body: LegacyMetadata = { rc: "SUCCESS", data: dataOf(verdict.build) };
  return visit.reply.header("x-build-id", verdict.build.id).header("cache-control", "private, no-cache").send(body);
}

function dataOf({ updated, entries, files: { csvgz, mmdb } }: Build): LegacyMetadata["data"] {
  // v1's clients rely on `size.csvgz`: a version without that file has 0 bytes of it.
  const size = { csvgz: csvgz?.sizeBytes ?? 0, ...(mmdb && { mmdb: mmdb.sizeBytes }) };
  return { updated, entries, size };
}
