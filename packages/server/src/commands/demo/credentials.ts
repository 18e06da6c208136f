import { updateAccount } from "../../domain/accounts/accounts.ts";
import { revokeKey } from "../../domain/keys/keys.ts";
import { revokeLegacyKey } from "../../domain/legacy-keys/legacy-keys.ts";
import type { Operation, Store } from "../../domain/store.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import { DEMO_PEOPLE } from "./accounts.ts";
import { DEMO_KEY_NAME } from "./keys.ts";
import { DEMO_ORGANIZATIONS } from "./organizations.ts";

/** Ids of the keys and accounts of the demo that still work. */
export interface DemoCredentials {
  keys: string[];
  legacyKeys: string[];
  accounts: string[];
}

/**
 * Ends the demo's keys, sign-in links and sessions. Its accounts are disabled, so that a password that someone has set
 * does not work either.
 */
export async function endDemoCredentials(operation: Operation): Promise<DemoCredentials> {
  const live = await findDemoCredentials(operation.store);
  for (const id of live.keys) await revokeKey(operation, id);
  for (const id of live.legacyKeys) await revokeLegacyKey(operation, id);
  for (const id of live.accounts) await updateAccount(operation, undefined, id, { isDisabled: true });
  return live;
}

/** The demo prints its credentials, so another server must not accept them. A killed demo could not revoke them. */
export async function requireNoDemoCredentials(store: Store): Promise<void> {
  const { keys, legacyKeys, accounts } = await findDemoCredentials(store);
  if (keys.length + legacyKeys.length + accounts.length === 0) return;
  throw conflict(
    'the demo\'s keys and sign-in links still work on this data: stop the demo if it is running, or else run "dbdepot-server demo --remove-credentials"',
  );
}

/** Looks at the demo's organizations only, so that it is fast however many keys there are. */
async function findDemoCredentials({ organizations, keys, legacyKeys, accounts }: Store): Promise<DemoCredentials> {
  const live: DemoCredentials = { keys: [], legacyKeys: [], accounts: [] };
  const isLive = ({ name, revoked }: { name: string; revoked: Date | null }) => name === DEMO_KEY_NAME && !revoked;
  const idOf = ({ id }: { id: string }) => id;
  for (const { name } of DEMO_ORGANIZATIONS) {
    const organizationId = (await organizations.byName(name))?.id;
    if (!organizationId) continue;
    live.keys.push(...(await keys.list({ organizationId })).filter(isLive).map(idOf));
    live.legacyKeys.push(...(await legacyKeys.list({ organizationId })).filter(isLive).map(idOf));
  }
  for (const { email } of DEMO_PEOPLE) {
    const account = await accounts.byEmail(email);
    if (account && !account.disabled) live.accounts.push(account.id);
  }
  return live;
}
