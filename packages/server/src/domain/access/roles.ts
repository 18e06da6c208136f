import { OPERATOR_ROLES, ROLES, type Role } from "@dbdepot/contract/console/accounts";
import type { Scope } from "@dbdepot/contract/shared/scopes";

/** The rights of each role: the scopes that an equivalent key would have, and the roles of the accounts it manages. */
const RIGHTS: Record<Role, { scopes: readonly Scope[]; manages: readonly Role[] }> = {
  operator: { scopes: ["operator.read", "operator.write", "builds.publish"], manages: ROLES },
  operator_viewer: { scopes: ["operator.read"], manages: [] },
  // Admins have these rights in their own organization only.
  admin: { scopes: ["db.download", "apikeys.manage", "account.read", "org.read"], manages: ["admin", "viewer"] },
  viewer: { scopes: ["db.download", "account.read", "org.read"], manages: [] },
};

export function scopesOf(role: Role): readonly Scope[] {
  return RIGHTS[role].scopes;
}

export function managesRole(role: Role, other: Role): boolean {
  return RIGHTS[role].manages.includes(other);
}

/** Whether accounts with the role belong to the vendor instead of an organization. */
export function isOperatorRole(role: Role): boolean {
  return (OPERATOR_ROLES as readonly Role[]).includes(role);
}
