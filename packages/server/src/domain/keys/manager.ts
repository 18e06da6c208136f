import type { Scope } from "@dbdepot/contract/shared/scopes";
import { findSession, type SessionProblem } from "../accounts/authenticate.ts";
import { scopesOf } from "../accounts/roles.ts";
import type { Tables } from "../store.ts";
import { authenticate } from "./authenticate.ts";
import type { KeyProblem } from "./check.ts";
import type { KeyAccess } from "./key.ts";
import type { SecretHash } from "./secret.ts";

/** Who manages keys: a key as it was sent, or the session of a person. */
export type Manager = { presented: string | undefined; address: string } | { sessionHash: SecretHash };

/** What the manager may do itself. A person is not bound to CIDRs or an expiry. */
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
export async function managerAccess(tables: Tables, manager: Manager, scope: Scope, now: Date): Promise<ManagerAccess> {
  if ("sessionHash" in manager) return accountAccess(tables, manager.sessionHash, scope, now);
  const fresh = { key: (hash: SecretHash) => tables.keys.bySecret(hash) };
  const found = await authenticate(fresh, manager.presented, { address: manager.address, scope, now });
  if (!found.caller) throw new NotManager(found.problem);
  return found.caller.key;
}

async function accountAccess(tables: Tables, hash: SecretHash, scope: Scope, now: Date): Promise<ManagerAccess> {
  const found = await findSession(tables.sessions, hash, now);
  if (!found) throw new NotManager("session_ended");
  const { role, organizationId } = found.account;
  const scopes = scopesOf(role);
  if (!scopes.includes(scope)) throw new NotManager("lacks_role");
  return { organizationId, scopes, cidrs: [], expires: null };
}
