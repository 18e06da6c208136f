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
import type { OfferedPatch } from "../domain/patches/patch.ts";
import { sendError } from "./errors.ts";
import { isSampleRequest, parameter } from "./query.ts";
import type { KeyContext, KeyRefusal, RequestContext } from "./route.ts";

/** The organization and the key that made the attempt, as far as they are known. */
type Requester = Pick<Attempt, "organizationId" | "keyId">;

export function requesterOf({ organizationId, caller }: KeyContext): Requester {
  return { organizationId, keyId: "key" in caller ? caller.key.id : null };
}

export interface RefusedAttempt {
  rc: ErrorCode;
  outcome: Attempt["outcome"];
  cause: string;
}

/** The file that a request asks for. */
export type RequestedFile = Pick<AttemptRequest, "datasetId" | "format" | "sample"> &
  /** Set for every attempt of a request except the first. */
  Partial<Pick<AttemptRequest, "id">>;

/** Resolves when the attempt is durable in the history. Only then may the response be sent. */
export function recordAttempt(
  context: RequestContext,
  api: Api,
  requester: Requester,
  result: AttemptResult,
  requested = fileInQuery(context.request, api),
): Promise<void> {
  const { services, request, now } = context;
  const attempt = newAttempt(
    {
      id: request.id,
      api,
      ...requested,
      clientIp: request.clientAddress,
      userAgent: request.headers["user-agent"],
    },
    requester,
    result,
    now,
  );
  const family = services.register.offer(attempt.datasetId ?? "")?.family.base ?? "";
  services.metrics.attempts.inc({ outcome: attempt.outcome, family });
  return services.history.record(attempt);
}

function fileInQuery(request: FastifyRequest, api: Api): RequestedFile {
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
  requester: Requester,
  refusal: RefusedAttempt,
  requested?: RequestedFile,
): Promise<FastifyReply> {
  await recordRefusal(context, api, requester, refusal, requested);
  return sendError(context.reply, refusal.rc);
}

/** Refuses a request that is not an attempt to download, so it is counted, but not recorded in the history. */
export function refuseQuery(
  { services, reply }: RequestContext,
  endpoint: "metadata" | "checksum" | "changes" | "table",
  cause: string,
  rc: ErrorCode,
): FastifyReply {
  services.metrics.refusedQueries.inc({ endpoint, cause });
  return sendError(reply, rc);
}

export function recordRefusal(
  context: RequestContext,
  api: Api,
  requester: Requester,
  { rc, outcome, cause }: RefusedAttempt,
  requested?: RequestedFile,
): Promise<void> {
  return recordAttempt(context, api, requester, { outcome, cause, httpStatus: ERRORS[rc].status }, requested);
}

/** Records a download whose key was refused. Only operators see it if the key could not be identified. */
export function recordUnauthorized(
  api: Api,
  rc: ErrorCode,
  requestedIn?: (request: FastifyRequest) => RequestedFile,
): (context: RequestContext, refusal: KeyRefusal) => Promise<void> {
  const httpStatus = ERRORS[rc].status;
  return (context, { problem, requester }) => {
    const result = { outcome: "unauthorized", cause: problem, httpStatus } as const;
    return recordAttempt(context, api, requester, result, requestedIn?.(context.request));
  };
}

/**
 * Records a file or patch sent by the API in the history. Every request of a transfer is an attempt: a resumed one has
 * status 206, and one by a client that already has the file has 304. A failed precondition, an invalid range
 * and a storage failure count as refusals. `sentBytes` is undefined for a link, and if it is not known yet.
 */
export function fileResult(
  httpStatus: number,
  { file, build, patch }: { file: BuildFile; build: BuildSummary; patch?: OfferedPatch | undefined },
  sentBytes?: number | undefined,
): AttemptResult {
  const { sizeBytes: bytes } = patch?.file ?? file;
  if (httpStatus < 400) {
    return { outcome: "ok", httpStatus, bytes, buildId: build.id, patch: patch !== undefined, sentBytes };
  }
  return { outcome: "unavailable", cause: FILE_FAILURES[httpStatus] ?? "storage", httpStatus, buildId: build.id };
}

const FILE_FAILURES: Record<number, string> = { 412: "precondition", 416: "range" };
