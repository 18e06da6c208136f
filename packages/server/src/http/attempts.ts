import { ERRORS, type ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { BuildFile, BuildSummary } from "../domain/builds/build.ts";
import {
  type Api,
  type Attempt,
  type AttemptRequest,
  type AttemptResult,
  newAttempt,
} from "../domain/downloads/attempt.ts";
import { sendError } from "./errors.ts";
import { isSampleRequest, parameter } from "./query.ts";
import type { KeyContext, KeyRefusal, RequestContext } from "./route.ts";

/** Whose attempt it is. */
type Who = Pick<Attempt, "organizationId" | "keyId">;

export function whoOf({ organizationId, caller }: KeyContext): Who {
  return { organizationId, keyId: "key" in caller ? caller.key.id : null };
}

export interface RefusedAttempt {
  rc: ErrorCode;
  outcome: Attempt["outcome"];
  cause: string;
}

/** What a request asks for. */
export type Asked = Pick<AttemptRequest, "datasetId" | "format" | "sample"> &
  /** Given for every attempt of a request but the first. */
  Partial<Pick<AttemptRequest, "id">>;

/** Resolves when the attempt is durable in the history. Only then may the response be sent. */
export function recordAttempt(
  context: RequestContext,
  api: Api,
  who: Who,
  result: AttemptResult,
  asked = askedInQuery(context.request, api),
): Promise<void> {
  const { services, request, now } = context;
  const attempt = newAttempt(
    {
      id: request.id,
      api,
      ...asked,
      clientIp: request.clientAddress,
      userAgent: request.headers["user-agent"],
    },
    who,
    result,
    now,
  );
  const family = services.register.offer(attempt.datasetId ?? "")?.family.base ?? "";
  services.metrics.attempts.inc({ outcome: attempt.outcome, family });
  return services.history.record(attempt);
}

function askedInQuery(request: FastifyRequest, api: Api): Asked {
  return {
    datasetId: parameter(request, "id"),
    format: parameter(request, "format"),
    sample: api === "v2" && isSampleRequest(request),
  };
}

/** Records a refused download, then responds with its code. */
export async function refuseAttempt(
  context: RequestContext,
  api: Api,
  who: Who,
  refusal: RefusedAttempt,
  asked?: Asked,
): Promise<FastifyReply> {
  await recordRefusal(context, api, who, refusal, asked);
  return sendError(context.reply, refusal.rc);
}

/** Refuses a request that is not an attempt to download, so it is counted, but not recorded in the history. */
export function refuseQuery(
  { services, reply }: RequestContext,
  endpoint: "metadata" | "checksum",
  cause: string,
  rc: ErrorCode,
): FastifyReply {
  services.metrics.refusedQueries.inc({ endpoint, cause });
  return sendError(reply, rc);
}

export function recordRefusal(
  context: RequestContext,
  api: Api,
  who: Who,
  { rc, outcome, cause }: RefusedAttempt,
  asked?: Asked,
): Promise<void> {
  return recordAttempt(context, api, who, { outcome, cause, httpStatus: ERRORS[rc].status }, asked);
}

/** Records a download whose key was refused. Only operators see it if the key could not be identified. */
export function recordUnauthorized(
  api: Api,
  rc: ErrorCode,
  askedIn?: (request: FastifyRequest) => Asked,
): (context: RequestContext, refusal: KeyRefusal) => Promise<void> {
  const httpStatus = ERRORS[rc].status;
  return (context, { problem, who }) => {
    const result = { outcome: "unauthorized", cause: problem, httpStatus } as const;
    return recordAttempt(context, api, who, result, askedIn?.(context.request));
  };
}

/**
 * Records a file sent by the API in the history. Every request of a transfer is an attempt: a resumed one has
 * status 206, and one by a client that already has the file has 304. A failed precondition, an invalid range
 * and a storage failure count as refusals.
 */
export function fileResult(httpStatus: number, file: BuildFile, build: BuildSummary): AttemptResult {
  if (httpStatus < 400) return { outcome: "ok", httpStatus, bytes: file.sizeBytes, buildId: build.id };
  return { outcome: "unavailable", cause: FILE_FAILURES[httpStatus] ?? "storage", httpStatus, buildId: build.id };
}

const FILE_FAILURES: Record<number, string> = { 412: "precondition", 416: "range" };
