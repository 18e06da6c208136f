import type {
  AccountList,
  AccountsQuery,
  ConsoleAccount,
  InviteRequest,
  MoveAccountRequest,
  UpdateAccountRequest,
} from "@dbdepot/contract/console/accounts";
import type { Invitation, IssuedLink } from "@dbdepot/contract/console/links";
import type { FastifyReply } from "fastify";
import { inviteAccount, issueLink, updateAccount } from "../../domain/accounts/accounts.ts";
import { deleteAccount, moveAccount } from "../../domain/accounts/operator-actions.ts";
import { accountToWire } from "../../domain/accounts/wire.ts";
import { organizationIdOf } from "../../domain/organizations/organizations.ts";
import type { PersonContext } from "../endpoint.ts";
import { listPage } from "../page.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { deliver } from "./links.ts";

/** Admins see the accounts of their own organization, whatever they ask for. */
export async function listAccounts(context: PersonContext<AccountsQuery>): Promise<AccountList> {
  const { services, query, caller } = context;
  const { store } = services;
  const organizationId = caller.account.organizationId ?? (await organizationIdOf(store, query.org));
  const page = await listPage(context, (request) => store.accounts.page({ organizationId }, request));
  return { accounts: page.map(accountToWire) };
}

export async function postAccount(context: PersonContext<unknown, InviteRequest>): Promise<Invitation | FastifyReply> {
  const { services, reply, operation, caller, body } = context;
  const wait = takeInvitation(context);
  if (wait > 0) return sendLimited(reply, wait);
  const invited = await inviteAccount(operation, caller.sessionHash, body);
  return { account: accountToWire(invited.account), ...(await deliver(services, invited, caller.account)) };
}

export async function patchAccount(context: PersonContext<unknown, UpdateAccountRequest>): Promise<ConsoleAccount> {
  const { operation, caller, id, body } = context;
  const { disabled: isDisabled, role, name } = body;
  return accountToWire(await updateAccount(operation, caller.sessionHash, id, { isDisabled, role, name }));
}

export async function postAccountLink(context: PersonContext): Promise<IssuedLink | FastifyReply> {
  const { services, reply, operation, caller, id } = context;
  const wait = takeInvitation(context);
  if (wait > 0) return sendLimited(reply, wait);
  const issued = await issueLink(operation, caller.sessionHash, id);
  const purpose = issued.purpose === "invitation" ? "invitation" : "reset";
  return { purpose, ...(await deliver(services, issued, caller.account)) };
}

export async function postAccountMove(context: PersonContext<unknown, MoveAccountRequest>): Promise<ConsoleAccount> {
  const { operation, caller, id, body } = context;
  return accountToWire(await moveAccount(operation, caller.sessionHash, id, body.organization));
}

export async function removeAccount({ operation, caller, id }: PersonContext): Promise<undefined> {
  await deleteAccount(operation, caller.sessionHash, id);
}

/** Limits how many e-mails the people of an organization can cause. Operators have no limit. */
function takeInvitation({ services, caller, now }: PersonContext): number {
  const { organizationId } = caller.account;
  return organizationId === null ? 0 : services.console.invitations.take(organizationId, now.getTime());
}
