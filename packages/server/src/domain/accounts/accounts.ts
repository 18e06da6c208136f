import type { Role } from "@dbdepot/contract/console/accounts";
import { conflict, invalid, notFound } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import type { Account, AccountWithOrganization } from "../access/account.ts";
import { requireActiveOrganization } from "../access/find-organization.ts";
import { isEmail, requireEmail, requirePersonName } from "../access/person.ts";
import { isOperatorRole, managesRole } from "../access/roles.ts";
import type { SecretHash } from "../access/secret.ts";
import { findSession } from "../access/session.ts";
import { Token } from "../access/token.ts";
import { record } from "../audit/audit.ts";
import { writeUrgent } from "../mail/write.ts";
import { forgetErased } from "../privacy/erased.ts";
import { endProgramKeysOf } from "../programs/ending.ts";
import type { Operation, Tables } from "../store.ts";
import { linkEnd } from "./link.ts";
import { type IssuedLink, insertLink } from "./links.ts";
import { mailLink, takenMail } from "./mails.ts";
import type { AccountStore } from "./store.ts";

/** The manager of accounts: a person who is signed in, or undefined for the command line, which may manage all of them. */
export type AccountManager = SecretHash | undefined;

/** The person who makes the change is no longer signed in. */
export class SignedOut extends Error {
  override readonly name = "SignedOut";
}

interface Invitation {
  email: string;
  name?: string | undefined;
  role: Role;
  /** The id or the exact name. Defaults to the manager's own organization, if any. */
  organization?: string | undefined;
}

export interface InvitedAccount extends IssuedLink {
  account: AccountWithOrganization;
}

/**
 * Creates an account without a password, and the link with which its owner sets one. The response to an admin does not reveal
 * which other organizations and accounts exist.
 */
export async function inviteAccount(
  operation: Operation,
  manager: AccountManager,
  invitation: Invitation,
): Promise<InvitedAccount> {
  return operation.store.change(async (tables) => {
    const own = await requireManager(tables, manager, operation.now);
    const organization = own?.organization ? ownOrganization(own.organization, invitation) : invitation.organization;
    const account = await newAccount(tables, operation, { ...invitation, organization });
    if (!isInReach(own, account)) throw invalid(`your role cannot invite this account (${account.role})`);
    const existing = await tables.accounts.byEmail(account.email);
    if (existing) {
      if (own?.organization && own.organizationId !== existing.organizationId) {
        return refuseSilently(tables, operation, { ...account, organization: own.organization }, existing);
      }
      throw conflict(`there is already an account for ${account.email}: send it a new link instead`);
    }
    await insertAccount(tables, operation, account);
    const link = await insertLink(tables, operation, account, "invitation");
    await mailLink(tables, operation, account, "invitation");
    return { ...link, account: await requireAccount(tables, account.id) };
  });
}

/** Refuses every other organization without looking it up. */
function ownOrganization({ id, name }: { id: string; name: string }, { organization }: Invitation): string {
  const wanted = organization?.trim() ?? id;
  if (wanted !== name && wanted.toLowerCase() !== id)
    throw invalid("you can invite people to your own organization only");
  return id;
}

/** Whether the vendor has anyone who can manage the service in the console, or has been invited to. */
export async function hasOperator({ accounts }: Pick<Tables, "accounts">): Promise<boolean> {
  const { items } = await accounts.page({ roles: ["operator"] }, { limit: 1 });
  return items.length > 0;
}

/** Looks like a new invitation to the manager, but its link does not work. The operator finds it in the audit log, and can move the account. */
async function refuseSilently(
  tables: Tables,
  operation: Operation,
  account: AccountWithOrganization,
  existing: Account,
): Promise<InvitedAccount> {
  const { email, role, organizationId } = account;
  const after = { email, role, organizationId };
  await record(tables, operation, { action: "account.invitation_refused", subject: existing.id, after });
  const content = takenMail(account, operation.rules?.mail?.service ?? "");
  const { id: about } = account;
  await writeUrgent(tables, operation, { kind: "invitation", accountId: existing.id, to: email, about, content });
  const expires = linkEnd("invitation", operation.now);
  return { token: Token.generate(), purpose: "invitation", expires, account };
}

/** Returns the account with this address, and creates it if it does not exist. Call it in a transaction. */
export async function ensureAccount(tables: Tables, operation: Operation, invitation: Invitation): Promise<Account> {
  const account = await newAccount(tables, operation, invitation);
  const existing = await tables.accounts.byEmail(account.email);
  if (!existing) await insertAccount(tables, operation, account);
  return existing ?? account;
}

async function newAccount(
  tables: Tables,
  { now }: Operation,
  { email, name = "", role, organization }: Invitation,
): Promise<Account> {
  return {
    id: newId(now),
    email: requireEmail(email),
    name: requirePersonName(name),
    role,
    organizationId: await organizationFor(tables, role, organization),
    created: now,
    lastSignIn: null,
    disabled: null,
  };
}

async function insertAccount(tables: Tables, operation: Operation, account: Account): Promise<void> {
  await tables.accounts.insert(account);
  await forgetErased(tables, account.email);
  await record(tables, operation, { action: "account.invited", subject: account.id, after: account });
}

/**
 * Issues an invitation before the first sign-in, a password reset after it. Earlier links of the account stop working, unless
 * `keepsEarlier` is set.
 */
export async function issueLink(
  operation: Operation,
  manager: AccountManager,
  id: string,
  { keepsEarlier = false } = {},
): Promise<InvitedAccount> {
  return operation.store.change(async (tables) => {
    const account = await requireManaged(tables, await requireManager(tables, manager, operation.now), id);
    if (account.disabled) throw conflict(`the account ${account.email} is disabled: enable it first`);
    if (account.organization?.archived) {
      throw conflict(`the organization "${account.organization.name}" is archived: unarchive it first`);
    }
    const purpose = account.lastSignIn ? "reset" : "invitation";
    const link = await insertLink(tables, operation, account, purpose, { keepsEarlier });
    await mailLink(tables, operation, account, purpose);
    await record(tables, operation, {
      action: "account.link_issued",
      subject: account.id,
      after: { purpose: link.purpose, expires: link.expires },
    });
    return { ...link, account };
  });
}

interface AccountChanges {
  isDisabled?: boolean | undefined;
  role?: Role | undefined;
  name?: string | undefined;
}

/** Disabling an account or changing its role ends its sessions and the keys of programs that it approved. Fields that are undefined keep their values. */
export async function updateAccount(
  operation: Operation,
  manager: AccountManager,
  idOrEmail: string,
  { isDisabled, role, name }: AccountChanges,
): Promise<AccountWithOrganization> {
  return operation.store.change(async (tables) => {
    const own = await requireManager(tables, manager, operation.now);
    const { organization, ...before } = await requireManaged(tables, own, idOrEmail);
    const { id } = before;
    const after: Account = {
      ...before,
      role: role ?? before.role,
      name: name === undefined ? before.name : requirePersonName(name),
      disabled: isDisabled === undefined ? before.disabled : isDisabled ? (before.disabled ?? operation.now) : null,
    };
    const losesAccess = after.role !== before.role || after.disabled !== null;
    if (own?.id === id && losesAccess) {
      throw conflict("you cannot disable your own account or change its role: ask someone else");
    }
    if (isOperatorRole(after.role) !== isOperatorRole(before.role)) {
      throw invalid(
        "an account cannot move between the vendor and an organization: delete it and invite the person again",
      );
    }
    if (!isInReach(own, after)) throw invalid(`your role cannot assign the role ${after.role}`);
    await applyAccountChange(tables, operation, before, after);
    return { ...after, organization };
  });
}

/** Writes a change that has been checked. Call it in a transaction. */
export async function applyAccountChange(
  tables: Tables,
  operation: Operation,
  before: Account,
  after: Account,
): Promise<void> {
  const { id } = before;
  await tables.accounts.update(after);
  if (after.role !== before.role || after.disabled !== null) {
    await tables.sessions.removeOfAccount(id);
    await tables.mail.removeWaiting(id);
    await endProgramKeysOf(tables, operation, id);
  }
  if (after.disabled) await tables.links.removeOfAccount(id);
  await record(tables, operation, { action: "account.updated", subject: id, before, after });
}

export async function requireAccount(
  { accounts }: { accounts: AccountStore },
  idOrEmail: string,
): Promise<AccountWithOrganization> {
  const found = isUuid(idOrEmail)
    ? await accounts.byId(idOrEmail.toLowerCase())
    : isEmail(idOrEmail) && (await accounts.byEmail(idOrEmail.trim().toLowerCase()));
  if (!found) throw notFound(`there is no account "${idOrEmail}"`);
  return found;
}

/** Looks the session up inside the transaction: a person who was disabled a moment ago must not manage accounts. */
export async function requireManager(
  tables: Tables,
  manager: AccountManager,
  now: Date,
): Promise<AccountWithOrganization | undefined> {
  if (manager === undefined) return undefined;
  const caller = await findSession(tables.sessions, manager, now);
  if (!caller || caller.operator) throw new SignedOut("the session has ended, or shows the console of a customer");
  return caller.account;
}

/** An account that the manager may not see is reported like one that does not exist. */
export async function requireManaged(
  tables: Tables,
  own: AccountWithOrganization | undefined,
  id: string,
): Promise<AccountWithOrganization> {
  const account = await requireAccount(tables, id);
  if (!isInReach(own, account)) throw notFound(`there is no account "${id}"`);
  return account;
}

function isInReach(own: Account | undefined, { role, organizationId }: Account): boolean {
  if (!own) return true;
  return managesRole(own.role, role) && (isOperatorRole(own.role) || own.organizationId === organizationId);
}

async function organizationFor(tables: Tables, role: Role, organization: string | undefined): Promise<string | null> {
  if (isOperatorRole(role)) {
    if (organization !== undefined) throw invalid(`the role ${role} belongs to no organization`);
    return null;
  }
  if (organization === undefined) throw invalid(`the role ${role} needs an organization`);
  return (await requireActiveOrganization(tables, organization)).id;
}
