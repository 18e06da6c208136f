import type {
  AccountList,
  AccountsQuery,
  ConsoleAccount,
  Invitation,
  InviteRequest,
  IssuedLink,
  UpdateAccountRequest,
} from "@dbdepot/contract/console";
import { inviteAccount, issueLink, updateAccount } from "../../accounts/accounts.ts";
import { accountToWire } from "../../accounts/wire.ts";
import { organizationIdOf } from "../../organizations/organizations.ts";
import { byEmail, pageOf } from "../page.ts";
import { deliver } from "./deliver.ts";
import type { PersonContext } from "./route.ts";

/** Admins see the accounts of their own organization, whatever they ask for. */
export async function listAccounts(context: PersonContext<AccountsQuery>): Promise<AccountList> {
  const { services, query, caller } = context;
  const { store } = services;
  const organizationId = caller.account.organizationId ?? (await organizationIdOf(store, query.org));
  const page = await pageOf(context, byEmail, ({ limit, from }) =>
    store.accounts.list({ organizationId, limit, after: from }),
  );
  return { accounts: page.map(accountToWire) };
}

export async function postAccount(context: PersonContext<unknown, InviteRequest>): Promise<Invitation> {
  const { services, operation, caller, body } = context;
  const invited = await inviteAccount(operation, caller.sessionHash, body);
  return { account: accountToWire(invited.account), ...(await deliver(services, invited)) };
}

export async function patchAccount(context: PersonContext<unknown, UpdateAccountRequest>): Promise<ConsoleAccount> {
  const { operation, caller, id, body } = context;
  const { disabled: isDisabled, role, name } = body;
  return accountToWire(await updateAccount(operation, caller.sessionHash, id, { isDisabled, role, name }));
}

export async function postAccountLink(context: PersonContext): Promise<IssuedLink> {
  const { services, operation, caller, id } = context;
  const issued = await issueLink(operation, caller.sessionHash, id);
  const purpose = issued.purpose === "invitation" ? "invitation" : "reset";
  return { purpose, ...(await deliver(services, issued)) };
}
