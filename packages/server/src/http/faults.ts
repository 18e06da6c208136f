import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { TLocalizedValidationError } from "typebox/error";
import type { RequiredScope } from "../domain/access/authenticate-key.ts";
import { OutOfReach } from "../domain/access/delegation.ts";
import { NotManager } from "../domain/access/manager.ts";
import { maskV2Keys } from "../domain/access/secret.ts";
import { SignedOut } from "../domain/accounts/accounts.ts";
import { PasswordQueueFull } from "../domain/accounts/password.ts";
import { StorageFull } from "../domain/builds/object-store.ts";
import { BuildRefused } from "../domain/builds/refusal.ts";
import { BadLines, inWords as lineInWords } from "../platform/primitives/bad-lines.ts";
import { Fault, type FaultKind, Unavailable } from "../platform/primitives/faults.ts";
import { sendError } from "./errors.ts";
import { BodyTimeout, hasBody, MalformedBody, UnsupportedMediaType } from "./plugins/json-bodies.ts";
import { sendLimited } from "./plugins/rate-limits.ts";
import { sendUnauthorized } from "./plugins/unauthorized.ts";
import type { Services } from "./route.ts";
import { inWords } from "./schema-faults.ts";

/** The error code of every kind of fault. An endpoint may replace some of them. */
const CODES: Record<FaultKind, ErrorCode> = {
  invalid: "INVALID_REQUEST",
  invalid_url: "INVALID_URL",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
  too_many_keys: "TOO_MANY_KEYS",
  too_many_webhooks: "TOO_MANY_WEBHOOKS",
  too_many_destinations: "TOO_MANY_DESTINATIONS",
  deliveries_not_allowed: "DELIVERIES_NOT_ALLOWED",
  way_not_available: "WAY_NOT_AVAILABLE",
};

/** The password queue is empty again by then, unless it has been refilled. */
const QUEUE_RETRY_SECONDS = 5;

export interface FaultOptions {
  scope: RequiredScope | "account" | "public";
  /**
   * Adds the reason in `message` next to `rc`: the same line that the command prints. Operators and the console get it,
   * customers' programs get `{rc}` only.
   */
  isExplained: boolean;
  codes?: Partial<Record<FaultKind, ErrorCode>> | undefined;
}

/** Responds to faults that endpoints throw. Rethrows all other errors for `errorHandler`. */
export function sendFault(
  error: unknown,
  reply: FastifyReply,
  { scope, isExplained, codes }: FaultOptions,
): FastifyReply {
  if (error instanceof PasswordQueueFull) return sendLimited(reply, QUEUE_RETRY_SECONDS);
  if (error instanceof SignedOut) return sendUnauthorized(reply, "session_ended", "account");
  if (error instanceof NotManager && scope !== "public") return sendUnauthorized(reply, error.problem, scope);
  if (error instanceof OutOfReach) return sendError(reply, error.code);
  if (error instanceof Fault) {
    return sendError(reply, codes?.[error.kind] ?? CODES[error.kind], isExplained ? explain(error) : undefined);
  }
  if (isExplained && error instanceof StorageFull) {
    return sendError(reply, "NOT_AVAILABLE", { message: error.message });
  }
  const { validation } = error as { validation?: TLocalizedValidationError[] };
  if (isExplained && validation) {
    return sendError(reply, "INVALID_REQUEST", { message: maskV2Keys(inWords(validation)) });
  }
  throw error;
}

/**
 * Messages quote the request. Keys are masked, because one pasted into the wrong field would end up in the client's
 * log.
 */
function explain(fault: Fault) {
  const message = maskV2Keys(fault.message);
  if (fault instanceof BadLines) return { message, faults: fault.lines.map(lineInWords).map(maskV2Keys) };
  if (!(fault instanceof BuildRefused)) return { message };
  return { message, reason: fault.reason, faults: fault.faults.map(maskV2Keys) };
}

/** Responds to errors that the route itself does not handle. */
export function errorHandler({ database }: Services, log: Logger) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    // Once the headers are sent, only closing the connection tells the client that something is wrong.
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return undefined;
    }
    removeHeaders(reply);
    // The rest of a body that was not read would be parsed as the next request.
    if (hasBody(request.raw) && !request.raw.complete) reply.header("connection", "close");
    const code = requestFault(error, request);
    if (code) return sendError(reply, code);
    log.error({ request_id: request.id, err: error }, "unexpected error");
    // The request is valid and can be retried later.
    const isUnavailable = error instanceof Unavailable || database.isOutOfReach();
    return sendError(reply, isUnavailable ? "NOT_AVAILABLE" : "INTERNAL");
  };
}

/** The code of an error that the client caused. */
function requestFault(error: FastifyError, { raw }: FastifyRequest): ErrorCode | undefined {
  if (error.validation || error instanceof MalformedBody) return "INVALID_REQUEST";
  if (error instanceof UnsupportedMediaType || error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return "UNSUPPORTED_MEDIA_TYPE";
  }
  if (error instanceof BodyTimeout) return "REQUEST_TIMEOUT";
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") return "TOO_LARGE";
  // The client disconnected in the middle of its body.
  if (raw.destroyed && !raw.complete) return "BAD_REQUEST";
  return undefined;
}

/** The headers describe the response that failed, and one of them may be the cause. */
function removeHeaders(reply: FastifyReply): void {
  for (const name of reply.raw.getHeaderNames()) reply.raw.removeHeader(name);
  for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
  reply.header("x-request-id", reply.request.id);
}
