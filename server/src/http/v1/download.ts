import type { FastifyReply } from "fastify";
import { LEGACY_REFUSALS } from "../../downloads/decide-legacy.ts";
import { fileResult, recordAttempt, refuseAttempt } from "../attempts.ts";
import type { LegacyKeyContext } from "../route.ts";
import { verdictForFile } from "./verdict.ts";

/** Sends the file itself or refuses. Nothing is sent before the attempt is durable in the history. */
export async function download(context: LegacyKeyContext): Promise<FastifyReply> {
  const who = { organizationId: context.key.organizationId, keyId: context.key.id };
  const verdict = verdictForFile(context);
  if (!verdict.granted) {
    return refuseAttempt(context, "v1", who, { ...LEGACY_REFUSALS[verdict.refusal], cause: verdict.refusal });
  }
  const { build, file } = verdict;
  return context.reply.sendDatabaseFile(verdict, (status) =>
    recordAttempt(context, "v1", who, fileResult(status, file, build)),
  );
}
