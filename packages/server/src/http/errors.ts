import type { OperatorErrorBody } from "@dbdepot/contract/operator/errors";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";

/** How long a client should wait before it asks again for a build that is not published yet. */
const RETRY_AFTER_SECONDS = 300;

/**
 * Responds with the status that belongs to the code. The body is exactly `{rc}`, without any detail of the cause. Only
 * operators get `why`, and programs with their own protocol get the body that they expect.
 */
export function sendError(reply: FastifyReply, code: ErrorCode, why?: Omit<OperatorErrorBody, "rc">): FastifyReply {
  const { status } = ERRORS[code];
  const { route } = reply.request.routeOptions.config;
  if (status === 503) reply.header("retry-after", String(RETRY_AFTER_SECONDS));
  return reply
    .code(status)
    .header("cache-control", "no-store")
    .send(route?.errorBody?.(code) ?? { rc: code, ...why });
}
