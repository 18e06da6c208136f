import type { FastifyReply } from "fastify";
import { revokeManagedKey } from "../../keys/management.ts";
import type { Visit } from "../route.ts";
import { change, keyId, sendKey } from "./change.ts";

/** Ends a key for good; it stays listed. */
export function revoke(visit: Visit): Promise<FastifyReply> {
  return change(visit, (operation, manager) => revokeManagedKey(operation, manager, keyId(visit)), sendKey);
}
