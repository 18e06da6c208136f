/**
 * The rules for approving a program. A person cannot give it more than they have:
 *
 * - Admins and viewers approve for their own organization, and only scopes that their role has. A viewer's role can
 *   only read.
 * - Operators can create keys for every organization, so they choose one. They have no customer scopes themselves, but
 *   may give every one of them.
 * - Operators who can only view cannot create keys, and approve nothing.
 */

import type { Role } from "@dbdepot/contract/console/accounts";
import { ACCESS_DAYS } from "@dbdepot/contract/shared/choices";
import { allows, CUSTOMER_SCOPES, type Scope } from "@dbdepot/contract/shared/scopes";
import { invalid } from "../../platform/primitives/faults.ts";
import { type AccountWithOrganization, isUsable } from "../access/account.ts";
import { requireActiveOrganization } from "../access/find-organization.ts";
import { isOperatorRole, scopesOf } from "../access/roles.ts";
import type { Tables } from "../store.ts";
import type { Program } from "./program.ts";
import type { Approval } from "./program-key.ts";

const DEFAULT_SCOPES = "db.download";

/**
 * Drops scopes that we don't have, as programs also ask for those of other services. Undefined if none is left: a program that
 * asks only for something unknown must not get anything else. An empty scope counts as omitted, as OAuth demands.
 */
export function requestedScopes(program: Program, scope: string | undefined): Scope[] | undefined {
  const asked = new Set<string>([...(scope?.trim() || DEFAULT_SCOPES).split(" "), ...program.implied]);
  const scopes = CUSTOMER_SCOPES.filter((name) => asked.has(name));
  return scopes.length > 0 ? scopes : undefined;
}

export function grantableScopes(role: Role, requested: readonly Scope[]): Scope[] {
  if (!isOperatorRole(role)) return requested.filter((scope) => allows(scopesOf(role), scope));
  return scopesOf(role).includes("operator.write") ? [...requested] : [];
}

/** Checks what the person chose on the page. */
export async function newApproval(
  tables: Tables,
  account: AccountWithOrganization,
  requested: readonly Scope[],
  { organization, days }: { organization?: string | undefined; days: number },
): Promise<Approval> {
  const scopes = grantableScopes(account.role, requested);
  if (scopes.length === 0) throw invalid("your role cannot give the program any of the access that it asks for");
  if (!ACCESS_DAYS.includes(days as (typeof ACCESS_DAYS)[number])) {
    throw invalid(`the number of days must be one of ${ACCESS_DAYS.join(", ")}`);
  }
  const own = account.organizationId;
  if (own !== null && organization !== undefined && organization !== own) {
    throw invalid("you can approve programs for your own organization only");
  }
  const wanted = own ?? organization;
  if (wanted === undefined) throw invalid("choose the organization that the program may act for");
  const { id: organizationId } = await requireActiveOrganization(tables, wanted);
  return { accountId: account.id, organizationId, scopes, days };
}

/**
 * The person whose approval it is, if it still holds: the account may have been disabled, moved or deleted since, and
 * its role may have fewer rights.
 */
export async function approverOf(
  tables: Pick<Tables, "accounts">,
  { accountId, organizationId, scopes }: Pick<Approval, "accountId" | "organizationId" | "scopes">,
): Promise<AccountWithOrganization | undefined> {
  const account = await tables.accounts.byId(accountId);
  if (!account || !isUsable(account)) return undefined;
  if (account.organizationId !== null && account.organizationId !== organizationId) return undefined;
  return grantableScopes(account.role, scopes).length === scopes.length ? account : undefined;
}
