import type { SharingError } from "@dbdepot/contract/delta-sharing/tables";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";

/** The body of an error. Programs print the message. */
export function sharingError(code: ErrorCode, message: string = ERRORS[code].meaning): SharingError {
  return { errorCode: code, message };
}

/** Sends an error whose message is about the request. */
export function sendSharingError(reply: FastifyReply, code: ErrorCode, message: string): FastifyReply {
  return reply.code(ERRORS[code].status).header("cache-control", "no-store").send(sharingError(code, message));
}
