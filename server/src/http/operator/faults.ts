import { ERRORS, type ErrorCode } from "@dbdepot/contract/errors";
import type { OperatorErrorBody } from "@dbdepot/contract/operator-answers";
import { BuildRefused } from "../../builds/refusal.ts";
import { Fault, type FaultKind } from "../../faults.ts";
import { NotManager } from "../../keys/management.ts";
import { BodyInvalid } from "../body.ts";
import { sendUnauthorized } from "../guard.ts";
import type { Reply } from "../reply.ts";
import { inWords } from "./schema-faults.ts";

const CODES: Record<FaultKind, ErrorCode> = {
  invalid: "INVALID_REQUEST",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
};

/**
 * The operator is told why, in `message` beside `rc`: the same line that the command prints. Customers get `{rc}`
 * and nothing else; but nothing that an operator may not know can be learned from its own faults.
 */
export function answerFault(error: unknown, reply: Reply): Reply {
  if (error instanceof BuildRefused) {
    const { reason, faults } = error;
    return send(reply, error.kind, { message: error.message, reason, faults: [...faults] });
  }
  if (error instanceof Fault) return send(reply, error.kind, { message: error.message });
  if (error instanceof NotManager) return sendUnauthorized(reply, error.problem, "operator.write");
  if (error instanceof BodyInvalid) return send(reply, "invalid", { message: inWords(error.faults) });
  // As everywhere: nothing of an unexpected fault's cause is told.
  throw error;
}

function send(reply: Reply, kind: FaultKind, why: Omit<OperatorErrorBody, "rc">): Reply {
  const rc = CODES[kind];
  const body: OperatorErrorBody = { rc, ...why };
  return reply.code(ERRORS[rc].status).header("cache-control", "no-store").send(body);
}
