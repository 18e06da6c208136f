import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";
import type { TLocalizedValidationError } from "typebox/error";
import { StorageFull } from "../../domain/builds/object-store.ts";
import { BuildRefused } from "../../domain/builds/refusal.ts";
import { NotManager } from "../../domain/keys/manager.ts";
import { maskV2Keys } from "../../domain/keys/mask.ts";
import { Fault, type FaultKind } from "../../platform/primitives/faults.ts";
import { sendError } from "../errors.ts";
import { sendUnauthorized } from "../plugins/unauthorized.ts";
import { inWords } from "./schema-faults.ts";

const CODES: Record<FaultKind, ErrorCode> = {
  invalid: "INVALID_REQUEST",
  invalid_url: "INVALID_URL",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
  too_many_keys: "TOO_MANY_KEYS",
  too_many_webhooks: "TOO_MANY_WEBHOOKS",
};

/**
 * Tells the operator why, in `message` next to `rc`: the same line that the command prints. Customers get `{rc}` only.
 * The messages quote the request, and a key pasted into the wrong field would end up in the client's log, so keys are masked.
 * Throws errors that it does not know.
 */
export function sendFault(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof BuildRefused) {
    const { reason, faults } = error;
    const message = maskV2Keys(error.message);
    return sendError(reply, CODES[error.kind], { message, reason, faults: faults.map(maskV2Keys) });
  }
  if (error instanceof Fault) return sendError(reply, CODES[error.kind], { message: maskV2Keys(error.message) });
  if (error instanceof StorageFull) return sendError(reply, "NOT_AVAILABLE", { message: error.message });
  if (error instanceof NotManager) return sendUnauthorized(reply, error.problem, "operator.write");
  const { validation } = error as { validation?: TLocalizedValidationError[] };
  if (validation) return sendError(reply, "INVALID_REQUEST", { message: maskV2Keys(inWords(validation)) });
  throw error;
}
