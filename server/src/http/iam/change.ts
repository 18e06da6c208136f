import type { ChangedKey } from "@dbdepot/contract/apikeys";
import type { ErrorCode } from "@dbdepot/contract/errors";
import { Fault, type FaultKind } from "../../faults.ts";
import type { Key } from "../../keys/key.ts";
import { type Manager, NotManager, OutsideCidrs } from "../../keys/management.ts";
import { keyToCustomerWire } from "../../keys/wire.ts";
import type { Operation } from "../../store.ts";
import { bearerKey } from "../credentials.ts";
import { sendError } from "../errors.ts";
import { sendUnauthorized } from "../guard.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";

/** Makes a change in the name of the caller's key, and answers with what came of it or with the fault. */
export async function change<T>(
  visit: Visit,
  make: (operation: Operation, manager: Manager) => Promise<T>,
  send: (reply: Reply, made: T) => Reply,
): Promise<Reply> {
  const { parts, request, reply, caller, now } = visit;
  const operation = { store: parts.store, actor: `key:${caller.prefix}`, now };
  const manager = { presented: bearerKey(request), address: request.address };
  let made: T;
  try {
    made = await make(operation, manager);
  } catch (error) {
    return answerFault(reply, error);
  }
  // It holds at once on this process. Should that fail, the register learns of it by itself; the change is made, and
  // its answer may carry a secret that nobody will see again.
  await parts.register.refresh().catch(() => {});
  return send(reply.header("cache-control", "no-store"), made);
}

const CODES: Record<FaultKind, ErrorCode> = {
  invalid: "INVALID_REQUEST",
  not_found: "NOT_FOUND",
  conflict: "KEY_REVOKED",
};

function answerFault(reply: Reply, error: unknown): Reply {
  if (error instanceof NotManager) return sendUnauthorized(reply, error.problem, "apikeys.manage");
  if (error instanceof OutsideCidrs) return sendError(reply, "OUTSIDE_CIDRS");
  if (error instanceof Fault) return sendError(reply, CODES[error.kind]);
  throw error;
}

/** The key that the address names. */
export function keyId({ request }: Visit): string {
  return request.params.id ?? "";
}

/** The key as it is now. */
export function sendKey(reply: Reply, key: Key): Reply {
  const body: ChangedKey = { rc: "SUCCESS", ...keyToCustomerWire(key) };
  return reply.send(body);
}
