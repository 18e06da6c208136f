import { ERRORS, type ErrorCode } from "@dbdepot/contract/errors";
import type { Build, BuildFile } from "../builds/build.ts";
import type { Api, Attempt, AttemptRequest, AttemptResult } from "../downloads/attempt.ts";
import { newAttempt } from "../downloads/attempt.ts";
import { sendError } from "./errors.ts";
import { parameter } from "./query.ts";
import type { Reply } from "./reply.ts";
import type { Request } from "./request.ts";
import type { Parts } from "./route.ts";

type Who = Pick<Attempt, "organizationId" | "keyId">;

/** Resolves when the attempt's row in the history is durable: only then may the response leave. */
export function recordAttempt(
  parts: Parts,
  request: Request,
  api: Api,
  who: Who,
  result: AttemptResult,
  now: Date,
): Promise<void> {
  return parts.history.record(newAttempt(attemptRequest(request, api), who, result, now));
}

/** A refusal that the history knows of. */
export async function refuseAttempt(
  parts: Parts,
  request: Request,
  reply: Reply,
  refusal: { api: Api; who: Who; rc: ErrorCode; outcome: Attempt["outcome"]; cause: string; now: Date },
): Promise<Reply> {
  const { api, who, rc, outcome, cause, now } = refusal;
  await recordAttempt(parts, request, api, who, { outcome, cause, httpStatus: ERRORS[rc].status }, now);
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

function attemptRequest(request: Request, api: Api): AttemptRequest {
  return {
    api,
    datasetId: parameter(request, "id"),
    format: parameter(request, "format"),
    clientIp: request.address,
    userAgent: request.headers["user-agent"],
  };
}
