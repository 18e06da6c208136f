import {
  AccountList,
  AccountsQuery,
  ConsoleAccount,
  InviteRequest,
  MoveAccountRequest,
  UpdateAccountRequest,
} from "@dbdepot/contract/console/accounts";
import { Invitation, IssuedLink } from "@dbdepot/contract/console/links";
import type { FastifyReply } from "fastify";
import { organizationIdOf } from "../../domain/access/find-organization.ts";
import { inviteAccount, issueLink, updateAccount } from "../../domain/accounts/accounts.ts";
import { deleteAccount, moveAccount } from "../../domain/accounts/operator-actions.ts";
import { accountToWire } from "../../domain/accounts/wire.ts";
import { endpoint, type PersonContext } from "../endpoint.ts";
import { listPage } from "../page.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { deliver } from "./links.ts";

/** Roles that manage accounts. The actions check which accounts. */
const MANAGERS = ["operator", "admin"] as const;

export const ACCOUNT_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/accounts",
    scope: "account",
    roles: [...MANAGERS, "operator_viewer"],
    respond: listAccounts,
    summary: "List accounts",
    description:
      "Operators see all accounts, admins those of their organization. They are ordered by e-mail address. The `Link` header points to the next page.",
    query: AccountsQuery,
    response: AccountList,
    errors: ["NOT_FOUND"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/accounts",
    scope: "account",
    roles: MANAGERS,
    respond: postAccount,
    summary: "Invite a person",
    description:
      "Creates an account and its invitation link, which is mailed if the server can send e-mail. Admins invite admins and viewers of their organization, 20 at once and then one every five minutes. They get the link only if it was not mailed. If the address has an account in another organization, the response to an admin is the same, but nothing is created; the person gets an e-mail.",
    body: InviteRequest,
    response: Invitation,
    errors: ["NOT_FOUND", "CONFLICT", "RATE_LIMITED"],
  }),
  endpoint({
    method: "PATCH",
    url: "/api/console/accounts/:id",
    scope: "account",
    roles: MANAGERS,
    respond: patchAccount,
    summary: "Change, disable or enable an account",
    description:
      "Disabling an account or changing its role ends its sessions. You cannot change or disable your own account this way.",
    body: UpdateAccountRequest,
    response: ConsoleAccount,
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/accounts/:id/link",
    scope: "account",
    roles: MANAGERS,
    respond: postAccountLink,
    summary: "Issue a new link for an account",
    description:
      "Returns a new invitation if the person has not signed in yet, otherwise a password reset. Earlier links stop working. Admins get the link only if it was not mailed; it counts like an invitation.",
    response: IssuedLink,
    errors: ["NOT_FOUND", "CONFLICT", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/accounts/:id/move",
    scope: "account",
    roles: ["operator"],
    respond: postAccountMove,
    summary: "Move an account to another organization",
    description:
      "Ends the sessions of the account and removes its links and its password: issue a new link for it. The role stays the same.",
    body: MoveAccountRequest,
    response: ConsoleAccount,
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/accounts/:id",
    scope: "account",
    roles: ["operator"],
    respond: removeAccount,
    summary: "Delete an account",
    description:
      "Ends its sessions and removes its links. The address can then be invited again. You cannot delete your own account.",
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
];

/** Admins see the accounts of their own organization, whatever they ask for. */
async function listAccounts(context: PersonContext<AccountsQuery>): Promise<AccountList> {
  const { services, query, caller } = context;
  const { store } = services;
  const organizationId = caller.account.organizationId ?? (await organizationIdOf(store, query.org));
  const page = await listPage(context, (request) => store.accounts.page({ organizationId }, request));
  return { accounts: page.map(accountToWire) };
}

async function postAccount(context: PersonContext<unknown, InviteRequest>): Promise<Invitation | FastifyReply> {
  const { services, reply, operation, caller, body } = context;
  const wait = takeInvitation(context);
  if (wait > 0) return sendLimited(reply, wait);
  const invited = await inviteAccount(operation, caller.sessionHash, body);
  return { account: accountToWire(invited.account), ...(await deliver(services, invited, caller.account)) };
}

async function patchAccount(context: PersonContext<unknown, UpdateAccountRequest>): Promise<ConsoleAccount> {
  const { operation, caller, id, body } = context;
  const { disabled: isDisabled, role, name } = body;
  return accountToWire(await updateAccount(operation, caller.sessionHash, id, { isDisabled, role, name }));
}

async function postAccountLink(context: PersonContext): Promise<IssuedLink | FastifyReply> {
  const { services, reply, operation, caller, id } = context;
  const wait = takeInvitation(context);
  if (wait > 0) return sendLimited(reply, wait);
  const issued = await issueLink(operation, caller.sessionHash, id);
  const purpose = issued.purpose === "invitation" ? "invitation" : "reset";
  return { purpose, ...(await deliver(services, issued, caller.account)) };
}

async function postAccountMove(context: PersonContext<unknown, MoveAccountRequest>): Promise<ConsoleAccount> {
  const { operation, caller, id, body } = context;
  return accountToWire(await moveAccount(operation, caller.sessionHash, id, body.organization));
}

async function removeAccount({ operation, caller, id }: PersonContext): Promise<undefined> {
  await deleteAccount(operation, caller.sessionHash, id);
}

/** Limits how many e-mails the people of an organization can cause. Operators have no limit. */
function takeInvitation({ services, caller, now }: PersonContext): number {
  const { organizationId } = caller.account;
  return organizationId === null ? 0 : services.console.invitations.take(organizationId, now.getTime());
}
