import type { Endorsement } from "@dbdepot/contract/v2/manifests";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import { endorseAgain } from "./freshness-issuer.ts";
import { activeKey, signAll } from "./sign.ts";
import type { PrivateKey, SignedStatement, SigningKey } from "./signing-key.ts";
import type { PrivateKeys } from "./store.ts";
import { unusedKey } from "./unused-key.ts";

export interface IssuedSigningKey {
  key: SigningKey;
  /** The versions whose current builds it signed. */
  signedVersionIds: string[];
}

/**
 * Starts to sign: uses the key that is already in the directory, or creates one, and signs all current builds. With
 * `replace`, it takes the place of a lost or stolen key without the old key's endorsement.
 */
export async function createSigningKey(
  operation: Operation,
  { replace = false }: { replace?: boolean } = {},
): Promise<IssuedSigningKey> {
  const known = await operation.store.signingKeys.list();
  requireNone(known, replace);
  const privateKey = await unusedKey(operation.store, privateKeysOf(operation));
  return operation.store.change(async (tables) => {
    const keys = await tables.signingKeys.list();
    requireNone(keys, replace);
    const replaced = activeKey(keys);
    // It expires at once, because someone else may have it.
    if (replaced) await tables.signingKeys.setExpires(replaced.keyId, operation.now);
    return introduce(tables, operation, privateKey, { action: "signing_key.created", replaced, endorsement: null });
  });
}

/** Replaces the key with a new one that it endorses. Customers accept both until the overlap ends. */
export async function rotateSigningKey(
  operation: Operation,
  { overlapDays }: { overlapDays: number },
): Promise<IssuedSigningKey> {
  const known = await operation.store.signingKeys.list();
  const { keyId } = requireActive(known);
  const oldKey = await privateKeysOf(operation).read(keyId);
  const privateKey = await unusedKey(operation.store, privateKeysOf(operation));
  const expires = new Date(operation.now.getTime() + overlapDays * DAY_MS);
  return operation.store.change(async (tables) => {
    const replaced = requireActive(await tables.signingKeys.list());
    if (replaced.keyId !== keyId) throw conflict("the signing key has just been rotated by someone else");
    await tables.signingKeys.setExpires(keyId, expires);
    const endorsement = endorse(oldKey, privateKey, operation.now, expires);
    return introduce(tables, operation, privateKey, { action: "signing_key.rotated", replaced, endorsement });
  });
}

function endorse(oldKey: PrivateKey, newKey: PrivateKey, now: Date, expires: Date): SignedStatement {
  const endorsement: Endorsement = {
    format: 1,
    endorsed_key: newKey.publicKey,
    endorsed_by: oldKey.keyId,
    created: now.toISOString(),
    old_key_expires: expires.toISOString(),
  };
  const statement = `${JSON.stringify(endorsement, null, 2)}\n`;
  return { statement, signature: oldKey.sign(statement, `dbdepot key ${newKey.keyId}`) };
}

async function introduce(
  tables: Tables,
  operation: Operation,
  privateKey: PrivateKey,
  {
    action,
    replaced,
    endorsement,
  }: {
    action: "signing_key.created" | "signing_key.rotated";
    replaced: SigningKey | undefined;
    endorsement: SignedStatement | null;
  },
): Promise<IssuedSigningKey> {
  const { keyId, publicKey } = privateKey;
  const key: SigningKey = {
    keyId,
    publicKey,
    created: operation.now,
    expires: null,
    endorsement,
    isImported: false,
  };
  await tables.signingKeys.insert(key);
  await endorseAgain(tables, operation, privateKey);
  const signedVersionIds = await signAll(tables, operation, privateKey);
  await record(tables, operation, {
    action,
    subject: keyId,
    before: replaced ? { key_id: replaced.keyId } : null,
    after: { key_id: keyId, public_key: publicKey, signed_version_ids: signedVersionIds },
  });
  return { key, signedVersionIds };
}

function privateKeysOf({ rules }: Operation): PrivateKeys {
  if (!rules?.privateKeys) throw conflict("this process has no access to signing keys");
  return rules.privateKeys;
}

function requireActive(keys: readonly SigningKey[]): SigningKey {
  const active = activeKey(keys);
  if (!active) throw conflict('there is no signing key: create one with "dbdepot-server signing-keys create"');
  return active;
}

function requireNone(keys: readonly SigningKey[], replace: boolean): void {
  const active = activeKey(keys);
  if (!active || replace) return;
  throw conflict(
    `key ${active.keyId} already signs: run "dbdepot-server signing-keys rotate", or use --replace if it is lost or stolen`,
  );
}
