import { ERRORS } from "@dbdepot/contract/errors";
import type { AttemptResult } from "../../downloads/attempt.ts";
import type { LegacyRefused } from "../../keys/authenticate-legacy.ts";
import { fileResult, recordAttempt, refuseAttempt } from "../attempts.ts";
import { sendFile } from "../file.ts";
import type { Reply } from "../reply.ts";
import type { Request } from "../request.ts";
import type { LegacyVisit, Parts } from "../route.ts";
import { LEGACY_REFUSALS } from "./decide.ts";
import { judgeFile } from "./requested.ts";

/** The file itself, or a refusal. Either leaves only after its row in the history is durable. */
export async function download(visit: LegacyVisit): Promise<Reply> {
  const { parts, request, reply, now } = visit;
  const verdict = judgeFile(visit);
  if (!verdict.granted) {
    const { refusal } = verdict;
    const who = whoOf(visit);
    return refuseAttempt(parts, request, reply, { api: "v1", who, ...LEGACY_REFUSALS[refusal], cause: refusal, now });
  }
  const { build, file } = verdict;
  return sendFile(parts.objects, request, reply, verdict, (status) =>
    recordAttempt(parts, request, { api: "v1", who: whoOf(visit), result: fileResult(status, file, build), now }),
  );
}

/** A refused key leaves a row too: its owner's where that is known, else the operator's alone. */
export function recordUnauthorized(parts: Parts, request: Request, refused: LegacyRefused, now: Date): Promise<void> {
  const httpStatus = ERRORS.INVALID_APIKEY.status;
  const result: AttemptResult = { outcome: "unauthorized", cause: refused.problem, httpStatus };
  return recordAttempt(parts, request, { api: "v1", who: refused.who, result, now });
}

function whoOf({ key }: LegacyVisit) {
  return { organizationId: key.organizationId, keyId: key.id };
}
