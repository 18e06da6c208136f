/**
 * The rules for changing keys. The manager who changes them is a key or a person, and cannot grant more access than it has.
 *
 * An operator, or an operator's key:
 *
 * - It creates, rotates and changes an operator's key only if it has all of that key's operator scopes, before and
 *   after the change: otherwise `operator.write` alone would lead to `builds.publish` in one step.
 * - A key bound to CIDRs does so only with operator's keys bound inside them. Keys it creates inherit its CIDRs unless
 *   narrower ones are given.
 * - A key that expires does so only with operator's keys that expire no later. Keys it creates inherit its expiry unless
 *   an earlier one is given.
 * - Customers' keys cannot use the operator's API, so it may give them any customer scope, CIDRs and expiry.
 * - Revoking gives no access, so it may revoke every key.
 *
 * A customer, or a customer's key:
 *
 * - It manages the keys of its own organization. Other keys look as if they did not exist.
 * - It may grant every customer scope, even one that it does not have itself, and no operator scope.
 * - If it is bound to CIDRs, the keys that it creates are bound inside them, and inherit them by default. It rotates and
 *   changes only keys that are bound inside them, before and after the change. Otherwise it could obtain a secret that
 *   works elsewhere, or extend what one may do elsewhere.
 * - If it expires, the same applies to its expiry: the keys that it creates, rotates and changes expire no later.
 * - Revoking grants no access, so it may revoke every key of the organization.
 *
 * The same rules apply to the manager's own key: it can rotate, restrict and revoke itself.
 */
import { isOperatorScope, type Scope } from "@dbdepot/contract/shared/scopes";
import { invalid } from "../../platform/primitives/faults.ts";
import { areInside } from "./cidrs.ts";
import type { KeyAccess } from "./credential.ts";
import type { ManagerAccess } from "./manager.ts";

/** Call it with the key before and after the change. */
export function requireOperatorReach(
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
    throw invalid(
      `your own key is restricted to ${own.cidrs.join(", ")}: an operator key must be restricted to these networks or a part of them`,
    );
  }
  if (outlives(key, own)) {
    throw invalid(`your own key expires on ${own.expires?.toISOString()}: an operator's key must not expire later`);
  }
}

/** The key to be changed works where or when the manager's does not. */
export class OutOfReach extends Error {
  override readonly name = "OutOfReach";
  readonly code: "OUTSIDE_CIDRS" | "BEYOND_EXPIRY";

  constructor(code: OutOfReach["code"]) {
    super(`the manager's key cannot change this key: ${code}`);
    this.code = code;
  }
}

/** Checks a key before the change. */
export function requireCustomerReach(own: ManagerAccess, key: Pick<KeyAccess, "cidrs" | "expires">): void {
  if (!areInside(key.cidrs, own.cidrs)) throw new OutOfReach("OUTSIDE_CIDRS");
  if (outlives(key, own)) throw new OutOfReach("BEYOND_EXPIRY");
}

/** Checks what a key is about to get. Fields that are undefined do not change. */
export function requireGrantable(
  own: ManagerAccess,
  { cidrs, expires }: { cidrs?: readonly string[] | undefined; expires?: Date | null | undefined },
): void {
  if (cidrs && !areInside(cidrs, own.cidrs)) throw invalid("the networks are not inside those of your own key");
  if (expires !== undefined && outlives({ expires }, own))
    throw invalid("the key would expire later than your own key");
}

function outlives(key: Pick<KeyAccess, "expires">, other: Pick<KeyAccess, "expires">): boolean {
  if (other.expires === null) return false;
  return key.expires === null || key.expires > other.expires;
}
