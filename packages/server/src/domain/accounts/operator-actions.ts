import { conflict, invalid } from "../../platform/primitives/faults.ts";
import type { AccountWithOrganization } from "../access/account.ts";
import { requireActiveOrganization } from "../access/find-organization.ts";
import { isOperatorRole } from "../access/roles.ts";
import { record } from "../audit/audit.ts";
import { endProgramKeysOf } from "../programs/ending.ts";
import type { Operation, Tables } from "../store.ts";
import { type AccountManager, requireAccount, requireManaged, requireManager } from "./accounts.ts";

/** Moving and deleting accounts, which only operators and the command line may do. */

/**
 * Moves a person to another organization. It ends the account's sessions and removes its links, its password and its identity
 * at the provider, because someone else may have accepted the invitation to the first organization. The person needs a new link.
 */
export async function moveAccount(
  operation: Operation,
  manager: AccountManager,
  idOrEmail: string,
  organization: string,
): Promise<AccountWithOrganization> {
  return operation.store.change(async (tables) => {
    const { before } = await requireSubject(tables, operation, manager, idOrEmail);
    if (isOperatorRole(before.role)) {
      throw invalid("an account of the vendor cannot move to an organization: delete it and invite the person again");
    }
    const { id: organizationId, name } = await requireActiveOrganization(tables, organization);
    if (organizationId === before.organizationId) throw conflict(`${before.email} already belongs to "${name}"`);
    const { organization: _, ...unmoved } = before;
    const after = { ...unmoved, organizationId };
    await tables.accounts.update(after);
    await tables.accounts.setPasswordHash(after.id, null);
    await tables.accounts.setIdentity(after.id, null);
    await endAccess(tables, operation, after.id);
    await record(tables, operation, { action: "account.moved", subject: after.id, before: unmoved, after });
    return requireAccount(tables, after.id);
  });
}

/** Deletes an account with its sessions and links. Its address can then be invited again. */
export async function deleteAccount(
  operation: Operation,
  manager: AccountManager,
  idOrEmail: string,
): Promise<AccountWithOrganization> {
  return operation.store.change(async (tables) => {
    const { own, before } = await requireSubject(tables, operation, manager, idOrEmail);
    if (own?.id === before.id) throw conflict("you cannot delete your own account: ask another operator");
    await endAccess(tables, operation, before.id);
    await tables.accounts.remove(before.id);
    const { organization: _, ...deleted } = before;
    await record(tables, operation, { action: "account.deleted", subject: before.id, before: deleted, after: null });
    return before;
  });
}

async function requireSubject(tables: Tables, { now }: Operation, manager: AccountManager, idOrEmail: string) {
  const own = await requireManager(tables, manager, now);
  if (own && !isOperatorRole(own.role)) throw invalid("only operators can move or delete accounts");
  return { own, before: await requireManaged(tables, own, idOrEmail) };
}

/** Ends sessions, links, second factors and the keys of programs. Call it in a transaction. */
async function endAccess(tables: Tables, operation: Operation, accountId: string): Promise<void> {
  await tables.twoFactor.removeOfAccount(accountId);
  await tables.sessions.removeOfAccount(accountId);
  await tables.links.removeOfAccount(accountId);
  await tables.mail.removeWaiting(accountId);
  await endProgramKeysOf(tables, operation, accountId);
}
