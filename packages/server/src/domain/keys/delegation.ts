/**
 * What an operator's key, or an operator who is signed in, may do to keys. No key can grant more access than it has:
 *
 * - It creates, rotates and changes an operator's key only if it has all of that key's operator scopes, before and
 *   after the change: otherwise `operator.write` alone would lead to `builds.publish` in one step.
 * - A key bound to CIDRs does so only with operator's keys bound inside them. Keys it creates inherit its CIDRs unless
 *   narrower ones are given.
 * - A key that expires does so only with operator's keys that expire no later. Keys it creates inherit its expiry unless
 *   an earlier one is given.
 * - Customers' keys cannot use the operator's API, so it may give them any customer scope, CIDRs and expiry.
 * - Revoking gives no access, so it may revoke every key.
 */
import { isOperatorScope, type Scope } from "@dbdepot/contract/shared/scopes";
import { invalid } from "../../platform/primitives/faults.ts";
import { areInside } from "./cidrs.ts";
import { type KeyAccess, outlives } from "./key.ts";
import type { ManagerAccess } from "./manager.ts";

export function requireInReach(
  own: ManagerAccess,
  key: Pick<KeyAccess, "organizationId" | "scopes" | "cidrs" | "expires">,
): void {
  if (key.organizationId !== null) return;
  const missing = key.scopes.filter((scope: Scope) => isOperatorScope(scope) && !own.scopes.includes(scope));
  if (missing.length > 0) {
    throw invalid(
      `your own key lacks ${missing.join(" and ")}: it can neither grant that nor change a key that has it`,
    );
  }
  if (!areInside(key.cidrs, own.cidrs)) {
    throw invalid(`your own key is bound to ${own.cidrs.join(", ")}: an operator's key must be bound inside`);
  }
  if (outlives(key, own)) {
    throw invalid(`your own key expires on ${own.expires?.toISOString()}: an operator's key must not expire later`);
  }
}
