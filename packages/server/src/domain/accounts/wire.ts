import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import type { ConsoleSession, SessionAccount } from "@dbdepot/contract/console/sessions";
import type { AccountWithOrganization } from "../access/account.ts";
import { accountIdOf } from "../access/account-id.ts";
import { type Session, sessionEnd } from "../access/session.ts";

export function sessionAccountToWire({ id, email, name, role, organization }: AccountWithOrganization): SessionAccount {
  const holder = organization && {
    id: organization.id,
    account_id: accountIdOf(organization.id),
    name: organization.name,
  };
  return { id, email, name, role, organization: holder };
}

export function accountToWire(account: AccountWithOrganization): ConsoleAccount {
  const { created, lastSignIn, disabled } = account;
  return {
    ...sessionAccountToWire(account),
    state: accountState(account),
    created: created.toISOString(),
    last_sign_in: lastSignIn?.toISOString() ?? null,
    disabled: disabled?.toISOString() ?? null,
  };
}

export function accountState({ disabled, lastSignIn }: AccountWithOrganization): ConsoleAccount["state"] {
  if (disabled) return "disabled";
  return lastSignIn ? "active" : "invited";
}

export function sessionToWire(session: Session, currentId: string): ConsoleSession {
  const { id, created, lastSeen, address, userAgent } = session;
  return {
    id,
    current: id === currentId,
    created: created.toISOString(),
    last_seen: lastSeen.toISOString(),
    expires: sessionEnd(session).toISOString(),
    address,
    user_agent: userAgent,
  };
}
