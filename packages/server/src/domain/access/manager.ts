import type { Scope } from "@dbdepot/contract/shared/scopes";
import type { Tables } from "../store.ts";
import { authenticate, type KeyProblem } from "./authenticate-key.ts";
import type { KeyAccess } from "./credential.ts";
import { scopesOf } from "./roles.ts";
import type { SecretHash } from "./secret.ts";
import { findSession, type SessionProblem } from "./session.ts";

type AccessTables = Pick<Tables, "keys" | "sessions">;

/** The caller that manages keys: a key as it was sent, or the session of a person. */
export type Manager = { presented: string | undefined; address: string } | { sessionHash: SecretHash };

/** The manager's own access. A person is not bound to CIDRs or an expiry. */
export type ManagerAccess = Pick<KeyAccess, "organizationId" | "scopes" | "cidrs" | "expires">;

/** The manager's own key or session is no longer valid. */
export class NotManager extends Error {
  readonly problem: KeyProblem | SessionProblem;

  constructor(problem: NotManager["problem"]) {
    super(`the caller cannot manage keys: ${problem}`);
    this.name = "NotManager";
    this.problem = problem;
  }
}

/**
 * Looks the manager up again, inside the transaction: a key or an account that another process revoked or disabled a moment
 * ago must not create keys. Changes are serialized, so the result is still valid when the change is written.
 */
export async function managerAccess(
  tables: AccessTables,
  manager: Manager,
  scope: Scope,
  now: Date,
): Promise<ManagerAccess> {
  if ("sessionHash" in manager) return accountAccess(tables, manager.sessionHash, scope, now);
  const fresh = { key: (hash: SecretHash) => tables.keys.bySecret(hash) };
  const found = await authenticate(fresh, manager.presented, { address: manager.address, scope, now });
  if (!found.caller) throw new NotManager(found.problem);
  return found.caller.key;
}

/** The access of a manager that belongs to an organization. */
export type CustomerAccess = ManagerAccess & { organizationId: string };

/** Fails unless the caller may still manage its organization. */
export async function requireCustomerManager(
  tables: AccessTables,
  manager: Manager,
  now: Date,
): Promise<CustomerAccess> {
  const own = await managerAccess(tables, manager, "apikeys.manage", now);
  const { organizationId } = own;
  if (organizationId === null) throw new NotManager("no_organization");
  return { ...own, organizationId };
}

async function accountAccess(tables: AccessTables, hash: SecretHash, scope: Scope, now: Date): Promise<ManagerAccess> {
  const found = await findSession(tables.sessions, hash, now);
  if (!found) throw new NotManager("session_ended");
  const { role, organizationId } = found.account;
  const scopes = scopesOf(role);
  if (!scopes.includes(scope) || found.operator) throw new NotManager("lacks_role");
  return { organizationId, scopes, cidrs: [], expires: null };
}
