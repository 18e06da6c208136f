import { ERRORS, type ErrorCode } from "@dbdepot/contract/errors";
import type { Build, BuildFile } from "../builds/build.ts";
import { type Api, type Asked, type Attempt, type AttemptResult, newAsked, newAttempt } from "../downloads/attempt.ts";
import { sendError } from "./errors.ts";
import { parameter } from "./query.ts";
import type { Reply } from "./reply.ts";
import type { Request } from "./request.ts";
import type { Parts } from "./route.ts";

type Who = Pick<Attempt, "organizationId" | "keyId">;

export interface Attempted {
  api: Api;
  who: Who;
  result: AttemptResult;
  now: Date;
  /** Where it is known already. */
  asked?: Asked;
}

/** Resolves when the attempt's row in the history is durable: only then may the response leave. */
export function recordAttempt(
  { history }: Parts,
  request: Request,
  { api, who, result, now, asked = askedBy(request) }: Attempted,
): Promise<void> {
  const { address, headers } = request;
  const asking = { api, asked, clientIp: address, userAgent: headers["user-agent"] };
  return history.record(newAttempt(asking, who, result, now));
}

export function askedBy(request: Request): Asked {
  return newAsked(parameter(request, "id"), parameter(request, "format"));
}

/** A refusal that the history knows of. */
export async function refuseAttempt(
  parts: Parts,
  request: Request,
  reply: Reply,
  refusal: { api: Api; who: Who; rc: ErrorCode; outcome: Attempt["outcome"]; cause: string; now: Date },
): Promise<Reply> {
  const { api, who, rc, outcome, cause, now } = refusal;
  await recordAttempt(parts, request, { api, who, result: { outcome, cause, httpStatus: ERRORS[rc].status }, now });
  return sendError(reply, rc);
}

/**
 * What a file that is sent from here leaves in the history. Every request of a transfer is an attempt: a resumed one
 * leaves a 206, one of a client that has the file a 304. What the client's own conditions or range ruled out handed out nothing.
 */
export function fileResult(httpStatus: number, file: BuildFile, build: Build): AttemptResult {
  if (httpStatus < 400) return { outcome: "ok", httpStatus, bytes: file.sizeBytes, buildId: build.id };
  return {
    outcome: "unavailable",
    cause: httpStatus === 416 ? "range" : "precondition",
    httpStatus,
    buildId: build.id,
  };
}
