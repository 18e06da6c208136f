import { invalid } from "../../platform/primitives/faults.ts";
import { type Account, type AccountWithOrganization, actorOf, isUsable } from "../access/account.ts";
import { requirePersonName } from "../access/person.ts";
import type { Client } from "../access/session.ts";
import { Token } from "../access/token.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import { LINK_MAILS, type Link, type LinkPurpose, linkEnd } from "./link.ts";
import { hashPassword, requirePassword } from "./password.ts";
import { type AwaitingSecondFactor, enter } from "./second-factor.ts";
import type { SignedIn } from "./sessions.ts";

/** A new link. The token is not stored, so this is the only place that has it. */
export interface IssuedLink {
  token: Token;
  purpose: LinkPurpose;
  expires: Date;
}

/**
 * Call it in the transaction of the change. Earlier links of the account stop working, unless `keepsEarlier` is set.
 */
export async function insertLink(
  tables: Tables,
  { now }: Pick<Operation, "now">,
  account: Account,
  purpose: LinkPurpose,
  { keepsEarlier = false, mailId }: { keepsEarlier?: boolean; mailId?: string } = {},
): Promise<IssuedLink> {
  const token = Token.generate();
  const expires = linkEnd(purpose, now);
  if (!keepsEarlier) await tables.links.removeOfAccount(account.id);
  await tables.links.insert({ accountId: account.id, purpose, created: now, expires }, token.hash(), mailId);
  return { token, purpose, expires };
}

export interface UsableLink extends Link {
  account: AccountWithOrganization;
}

/** Undefined if the link does not exist, has expired, or its account may not sign in. */
export async function findLink(
  tables: Pick<Tables, "links" | "accounts">,
  token: string,
  now: Date,
): Promise<UsableLink | undefined> {
  const parsed = Token.parse(token);
  const link = parsed && (await tables.links.byHash(parsed.hash()));
  if (!link || link.expires <= now) return undefined;
  const account = await tables.accounts.byId(link.accountId);
  return account && isUsable(account) ? { ...link, account } : undefined;
}

/**
 * Signs in with a link, which works once. An invitation and a reset set the password and end all other sessions.
 * If the account has a second factor, it is still needed. Undefined if the link cannot be used.
 */
export async function acceptLink(
  operation: Omit<Operation, "actor">,
  token: string,
  { password, name }: { password?: string | undefined; name?: string | undefined },
  client: Client,
): Promise<SignedIn | AwaitingSecondFactor | undefined> {
  const { store, now } = operation;
  const early = await findLink(store, token, now);
  if (!early) return undefined;
  const setsPassword = early.purpose !== "sign_in";
  if (setsPassword && password === undefined) throw invalid("choose a password");
  if (!setsPassword && password !== undefined) throw invalid("this link does not set a password");
  // Hashing is slow, so it happens before the transaction.
  const passwordHash = password === undefined ? undefined : await hashPassword(requirePassword(password));
  return store.change(async (tables) => {
    const link = await findLink(tables, token, now);
    if (!link) return undefined;
    const { account, purpose } = link;
    const actor = actorOf(account);
    await tables.links.removeOfAccount(account.id);
    await tables.mail.removeWaiting(account.id, LINK_MAILS);
    if (passwordHash) {
      await tables.accounts.setPasswordHash(account.id, passwordHash);
      await tables.sessions.removeOfAccount(account.id);
      await tables.twoFactor.removeChallenges(account.id);
      // Unbinds the identity, so that a reset helps people whose identity at the provider has changed.
      await tables.accounts.setIdentity(account.id, null);
    }
    const after = { purpose, address: client.address };
    await record(tables, { ...operation, actor }, { action: "account.link_accepted", subject: account.id, after });
    const renamed = name === undefined ? account : { ...account, name: requirePersonName(name) };
    return enter(tables, { ...operation, actor }, renamed, client, { method: "link" });
  });
}
