import { type AccountWithOrganization, actorOf, isUsable } from "../access/account.ts";
import type { Client } from "../access/session.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import type { ProvidedIdentity } from "./identity.ts";
import { type SignedIn, startSession } from "./sessions.ts";

/** Why a person whom the provider knows may not sign in. */
export type IdentityProblem = "email_not_verified" | "no_account" | "other_identity" | "account_disabled";

/** Signs in a person whom the provider has identified. Only invited people have an account. */
export async function signInWithProvider(
  operation: Omit<Operation, "actor">,
  identity: ProvidedIdentity,
  client: Client,
): Promise<SignedIn | IdentityProblem> {
  return operation.store.change(async (tables) => {
    const known = await tables.accounts.byIdentity(identity);
    const account = known ?? (await findByEmail(tables, identity));
    if (typeof account === "string") return account;
    if (!isUsable(account)) return "account_disabled";
    const signingIn = { ...operation, actor: actorOf(account) };
    if (!known) await bind(tables, signingIn, account, identity);
    return startSession(tables, signingIn, account, client, { method: "oidc", issuer: identity.issuer });
  });
}

/** At the first sign-in, the e-mail address identifies the account. */
async function findByEmail(
  { accounts }: Tables,
  { issuer, verifiedEmail }: ProvidedIdentity,
): Promise<AccountWithOrganization | IdentityProblem> {
  if (verifiedEmail === undefined) return "email_not_verified";
  const account = await accounts.byEmail(verifiedEmail.trim().toLowerCase());
  if (!account) return "no_account";
  // The provider may have given the address to someone else. An identity of a provider that is no longer used is
  // replaced.
  const bound = await accounts.identity(account.id);
  return bound?.issuer === issuer ? "other_identity" : account;
}

async function bind(
  tables: Tables,
  operation: Operation,
  { id }: AccountWithOrganization,
  { issuer, subject }: ProvidedIdentity,
): Promise<void> {
  await tables.accounts.setIdentity(id, { issuer, subject });
  // The invitation is accepted.
  await tables.links.removeOfAccount(id);
  await record(tables, operation, { action: "account.identity_bound", subject: id, after: { issuer, subject } });
}
