/**
 * What an operator's key may do to other keys. Nobody gets by way of another key what its own has not:
 *
 * - It creates, rotates and changes an operator's key only if it has all of that key's operator scopes itself, before
 *   the change and after: `operator.write` alone would else lead to `builds.publish` in one step.
 * - Bound to CIDRs, it does so only with operator's keys that are bound inside them; one that it creates takes them
 *   over where none are asked for.
 * - Customers' keys open nothing here, and are used from elsewhere: it gives them what it likes.
 * - Revoking gives nobody anything, so it may revoke every key.
 */
import { isOperatorScope, type Scope } from "@dbdepot/contract/scopes";
import { invalid } from "../../faults.ts";
import { authenticate } from "../../keys/authenticate.ts";
import { areInside } from "../../keys/cidrs.ts";
import type { DoorKey } from "../../keys/key.ts";
import { NotManager } from "../../keys/management.ts";
import type { SecretHash } from "../../keys/secret.ts";
import type { Tables } from "../../store.ts";

import { bearerKey } from "../credentials.ts";
import type { Visit } from "../route.ts";

/**
 * The caller's own key, looked up once more inside the change: one that was revoked a moment ago on another process
 * must not leave new ones behind.
 */
export async function ownKey(tables: Tables, { request, now }: Visit): Promise<DoorKey> {
  const fresh = { key: (hash: SecretHash) => tables.keys.bySecret(hash) };
  const use = { address: request.address, scope: "operator.write", now } as const;
  const found = await authenticate(fresh, bearerKey(request), use);
  if (!found.caller) throw new NotManager(found.problem);
  return found.caller.key;
}

export function requireInReach(own: DoorKey, key: Pick<DoorKey, "organizationId" | "scopes" | "cidrs">): void {
  if (key.organizationId !== null) return;
  const missing = key.scopes.filter((scope: Scope) => isOperatorScope(scope) && !own.scopes.includes(scope));
  if (missing.length > 0) {
    throw invalid(`your own key lacks ${missing.join(" and ")}: it cannot give that, nor change a key that has it`);
  }
  if (!areInside(key.cidrs, own.cidrs)) {
    throw invalid(`your own key is bound to ${own.cidrs.join(", ")}: an operator's key must be bound inside`);
  }
}
