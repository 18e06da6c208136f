import type { FastifyReply } from "fastify";
import { revokeManagedKey } from "../../keys/management.ts";
import type { KeyContext } from "../route.ts";
import { change, keyId, sendKey } from "./change.ts";

/** Revokes a key permanently. It stays listed. */
export function revoke(context: KeyContext): Promise<FastifyReply> {
  return change(context, (operation, manager) => revokeManagedKey(operation, manager, keyId(context)), sendKey);
}
