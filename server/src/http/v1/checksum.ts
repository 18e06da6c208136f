import type { LegacyChecksums } from "@dbdepot/contract/checksums";
import type { FastifyReply } from "fastify";
import { LEGACY_REFUSALS } from "../../downloads/decide-legacy.ts";
import { sendError } from "../errors.ts";
import type { LegacyKeyContext } from "../route.ts";
import { verdictForFile } from "./verdict.ts";

/** Sends the digests of the file that a download would send now. */
export async function checksum(context: LegacyKeyContext): Promise<FastifyReply> {
  const verdict = verdictForFile(context);
  if (!verdict.granted) return sendError(context.reply, LEGACY_REFUSALS[verdict.refusal].rc);
  const body: LegacyChecksums = { rc: "SUCCESS", data: verdict.file.checksums };
  return context.reply.header("x-build-id", verdict.build.id).header("cache-control", "private, no-cache").send(body);
}
