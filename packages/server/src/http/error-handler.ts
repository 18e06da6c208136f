import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { Unavailable } from "../platform/primitives/faults.ts";
import { sendError } from "./errors.ts";
import { BodyTimeout, hasBody, MalformedJson, UnsupportedMediaType } from "./plugins/json-bodies.ts";
import type { Services } from "./route.ts";

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
    const code = codeOf(error, request);
    if (code) return sendError(reply, code);
    log.error({ request_id: request.id, err: error }, "unexpected error");
    // The request is valid and can be retried later.
    const isUnavailable = error instanceof Unavailable || database.isOutOfReach();
    return sendError(reply, isUnavailable ? "NOT_AVAILABLE" : "INTERNAL");
  };
}

function codeOf(error: FastifyError, { raw }: FastifyRequest): ErrorCode | undefined {
  if (error.validation || error instanceof MalformedJson) return "INVALID_REQUEST";
  if (error instanceof UnsupportedMediaType || error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return "UNSUPPORTED_MEDIA_TYPE";
  }
  if (error instanceof BodyTimeout) return "REQUEST_TIMEOUT";
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") return "TOO_LARGE";
  // The client disconnected in the middle of its body.
  if (raw.destroyed && !raw.complete) return "BAD_REQUEST";
  return undefined;
}

/** They describe the response that failed, and one of them may be the cause. */
function removeHeaders(reply: FastifyReply): void {
  for (const name of reply.raw.getHeaderNames()) reply.raw.removeHeader(name);
  for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
  reply.header("x-request-id", reply.request.id);
}
