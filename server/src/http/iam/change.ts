import type { ChangedKey } from "@dbdepot/contract/apikeys";
import type { ErrorCode } from "@dbdepot/contract/errors";
import type { FastifyReply } from "fastify";
import type { Key } from "../../keys/key.ts";
import { OutOfReach } from "../../keys/management.ts";
import { type Manager, NotManager } from "../../keys/manager.ts";
import { keyToCustomerWire } from "../../keys/wire.ts";
import { Fault, type FaultKind } from "../../primitives/faults.ts";
import type { Operation } from "../../store.ts";
import { sendError } from "../errors.ts";
import { managerOf, operationOf } from "../operation.ts";
import { sendUnauthorized } from "../plugins/unauthorized.ts";
import type { KeyContext } from "../route.ts";

/** Makes a change on behalf of the caller and sends the result or the error. */
export async function change<T>(
  context: KeyContext,
  make: (operation: Operation, manager: Manager) => Promise<T>,
  send: (reply: FastifyReply, made: T) => FastifyReply,
): Promise<FastifyReply> {
  const { services, reply } = context;
  let made: T;
  try {
    made = await make(operationOf(context), managerOf(context));
  } catch (error) {
    return sendFault(error, reply);
  }
  // So that the change takes effect in this process at once. If it fails, the register refreshes by itself; the change is
  // made, and the response may carry a secret that is never shown again.
  await services.register.refresh().catch(() => {});
  return send(reply.header("cache-control", "no-store"), made);
}

const CODES: Record<FaultKind, ErrorCode> = {
  invalid: "INVALID_REQUEST",
  not_found: "NOT_FOUND",
  conflict: "KEY_REVOKED",
  too_many_keys: "TOO_MANY_KEYS",
};

/** Sends the code of a fault. Throws errors that it does not know. */
export function sendFault(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof NotManager) return sendUnauthorized(reply, error.problem, "apikeys.manage");
  if (error instanceof OutOfReach) return sendError(reply, error.code);
  if (error instanceof Fault) return sendError(reply, CODES[error.kind]);
  throw error;
}

/** The id of the key in the URL. */
export function keyId({ request }: KeyContext): string {
  return (request.params as { id: string }).id;
}

/** Sends the key as it is after the change. */
export function sendKey(reply: FastifyReply, key: Key): FastifyReply {
  const body: ChangedKey = { rc: "SUCCESS", ...keyToCustomerWire(key) };
  return reply.send(body);
}
