import { DAY_MS } from "../../platform/primitives/dates.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import { record } from "../audit/audit.ts";
import type { Operation } from "../store.ts";
import {
  activeFreshnessKey,
  endorseFreshnessKey,
  FRESHNESS_LIFE_MS,
  type FreshnessKey,
  revokedIds,
} from "./freshness.ts";
import { renewDue } from "./freshness-job.ts";
import { activeKey } from "./sign.ts";
import type { PrivateKey } from "./signing-key.ts";
import type { FreshnessRules } from "./store.ts";
import { unusedKey } from "./unused-key.ts";

export interface IssuedFreshnessKey {
  key: FreshnessKey;
  /** How many versions have a statement that it signed. */
  confirmedCount: number;
}

/**
 * Introduces a key that signs statements of freshness, endorsed by the signing key, and issues the statements of all
 * versions. With `replace`, it takes the place of a lost or stolen key, which clients never accept again.
 */
export async function createFreshnessKey(
  operation: Operation,
  { validDays, replace = false }: { validDays: number; replace?: boolean },
): Promise<IssuedFreshnessKey> {
  requireNone(await operation.store.freshnessKeys.list(), replace);
  return introduce(operation, { validDays, isRevoking: replace, action: "freshness_key.created" }, (keys) =>
    requireNone(keys, replace),
  );
}

/** Replaces the key with a new one. Statements of the old key are accepted until they end. */
export async function rotateFreshnessKey(
  operation: Operation,
  { validDays }: { validDays: number },
): Promise<IssuedFreshnessKey> {
  const old = requireActive(await operation.store.freshnessKeys.list());
  return introduce(operation, { validDays, isRevoking: false, action: "freshness_key.rotated" }, (keys) => {
    if (requireActive(keys).keyId !== old.keyId)
      throw conflict("the freshness key has just been rotated by someone else");
  });
}

async function introduce(
  operation: Operation,
  {
    validDays,
    isRevoking,
    action,
  }: { validDays: number; isRevoking: boolean; action: "freshness_key.created" | "freshness_key.rotated" },
  check: (keys: readonly FreshnessKey[]) => void,
): Promise<IssuedFreshnessKey> {
  const { store, now } = operation;
  const { privateKeys, lifeMs } = rulesOf(operation);
  const signingKey = await readSigningKey(operation);
  const privateKey = await unusedKey(store, privateKeys);
  return store.change(async (tables) => {
    const keys = await tables.freshnessKeys.list();
    check(keys);
    if (activeKey(await tables.signingKeys.list())?.keyId !== signingKey.keyId) {
      throw conflict("the signing key has just been replaced by someone else");
    }
    const replaced = activeFreshnessKey(keys);
    if (replaced) await tables.freshnessKeys.setReplaced(replaced.keyId, { replaced: now, isRevoked: isRevoking });
    const revoked = [...revokedIds(keys), ...(replaced && isRevoking ? [replaced.keyId] : [])];
    const { keyId, publicKey } = privateKey;
    const expires = new Date(now.getTime() + validDays * DAY_MS);
    const endorsement = endorseFreshnessKey(signingKey, { keyId, publicKey, expires }, { now, revoked });
    const key: FreshnessKey = {
      ...{ keyId, publicKey, created: now, expires, endorsement },
      ...{ replaced: null, isRevoked: false, isImported: false },
    };
    await tables.freshnessKeys.insert(key);
    let confirmedCount = 0;
    for (let issued = -1; issued !== 0; confirmedCount += issued) {
      issued = await renewDue(tables, { key, privateKey, now, lifeMs: lifeMs || FRESHNESS_LIFE_MS });
    }
    await record(tables, operation, {
      action,
      subject: keyId,
      before: replaced ? { key_id: replaced.keyId, revoked: isRevoking } : null,
      after: { key_id: keyId, public_key: publicKey, expires: expires.toISOString(), endorsed_by: signingKey.keyId },
    });
    return { key, confirmedCount };
  });
}

async function readSigningKey({ store, rules }: Operation): Promise<PrivateKey> {
  const active = activeKey(await store.signingKeys.list());
  if (!active) {
    throw conflict('there is no signing key to endorse it: run "dbdepot-server signing-keys create" first');
  }
  if (!rules?.privateKeys) throw conflict("this process has no access to signing keys");
  return rules.privateKeys.read(active.keyId);
}

function rulesOf({ rules }: Operation): FreshnessRules {
  if (!rules?.freshness) throw conflict("this process has no access to freshness keys");
  return rules.freshness;
}

function requireActive(keys: readonly FreshnessKey[]): FreshnessKey {
  const active = activeFreshnessKey(keys);
  if (!active) {
    throw conflict('there is no freshness key: create one with "dbdepot-server signing-keys create --freshness"');
  }
  return active;
}

function requireNone(keys: readonly FreshnessKey[], replace: boolean): void {
  const active = activeFreshnessKey(keys);
  if (!active || replace) return;
  throw conflict(
    `freshness key ${active.keyId} is in use: run "dbdepot-server signing-keys rotate --freshness", or use --replace if it is lost or stolen`,
  );
}
