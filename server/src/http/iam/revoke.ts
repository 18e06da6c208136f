import { revokeManagedKey } from "../../keys/management.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { change, keyId, sendKey } from "./change.ts";

/** Ends a key for good; it stays listed. */
export function revoke(visit: Visit): Promise<Reply> {
  return change(visit, (operation, manager) => revokeManagedKey(operation, manager, keyId(visit)), sendKey);
}
