import type { LegacyMetadata } from "@dbdepot/contract/metadata";
import type { FastifyReply } from "fastify";
import type { Build } from "../../builds/build.ts";
import { LEGACY_REFUSALS } from "../../downloads/decide-legacy.ts";
import { sendError } from "../errors.ts";
import type { LegacyKeyContext } from "../route.ts";
import { verdictForBuild } from "./verdict.ts";

/** Sends date, row count and sizes of the published build. */
export async function metadata(context: LegacyKeyContext): Promise<FastifyReply> {
  const verdict = verdictForBuild(context);
  if (!verdict.granted) return sendError(context.reply, LEGACY_REFUSALS[verdict.refusal].rc);
  const body: LegacyMetadata = { rc: "SUCCESS", data: dataOf(verdict.build) };
  return context.reply.header("x-build-id", verdict.build.id).header("cache-control", "private, no-cache").send(body);
}

function dataOf({ updated, entries, files: { csvgz, mmdb } }: Build): LegacyMetadata["data"] {
  // v1 clients rely on `size.csvgz`: a version without that file reports 0 bytes.
  const size = { csvgz: csvgz?.sizeBytes ?? 0, ...(mmdb && { mmdb: mmdb.sizeBytes }) };
  return { updated, entries, size };
}
