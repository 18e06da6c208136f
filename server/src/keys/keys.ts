import { KEY_NAME_MAX_LENGTH } from "@dbdepot/contract/apikeys";
import { isOperatorScope, isScope, SCOPES, type Scope } from "@dbdepot/contract/scopes";
import { type Action, record } from "../audit/audit.ts";
import { conflict, invalid, notFound } from "../faults.ts";
import { isUuid, newId } from "../ids.ts";
import type { Operation, Tables } from "../store.ts";
import { requireCidr } from "./cidrs.ts";
import type { Key, KeySecret } from "./key.ts";
import { isPrefix, PlainKey } from "./secret.ts";

/** A key with its secret, at the only moment when both are in one hand. */
export interface IssuedKey {
  key: Key;
  plain: PlainKey;
}

export const OVERLAP_MAX_SECONDS = 7 * 24 * 60 * 60;

export async function createKey(
  operation: Operation,
  request: {
    organizationId: string | null;
    name: string;
    scopes: readonly string[];
    cidrs: readonly string[];
    expires: Date | null;
  },
): Promise<IssuedKey> {
  const plain = PlainKey.generate();
  const key: Key = {
    id: newId(operation.now),
    organizationId: request.organizationId,
    name: requireKeyName(request.name),
    prefix: plain.prefix,
    scopes: requireScopes(request.scopes, request.organizationId),
    cidrs: requireCidrs(request.cidrs),
    expires: requireFutureEnd(request.expires, operation.now),
    created: operation.now,
    lastUsed: null,
    revoked: null,
  };
  await operation.store.change(async (tables) => {
    await tables.keys.insert(key, secretOf(plain, key.id, operation.now));
    await record(tables, operation, { action: "key.created", subject: key.id, after: key });
  });
  return { key, plain };
}

/** A new secret; the old one works on for `overlapSeconds`. */
export async function rotateKey(operation: Operation, idOrPrefix: string, overlapSeconds: number): Promise<IssuedKey> {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > OVERLAP_MAX_SECONDS) {
    throw invalid(`the overlap is a number of seconds from 0 to ${OVERLAP_MAX_SECONDS} (7 days)`);
  }
  const plain = PlainKey.generate();
  return operation.store.change(async (tables) => {
    const before = await requireUsableKey(tables, idOrPrefix);
    const key: Key = { ...before, prefix: plain.prefix };
    const secret = secretOf(plain, key.id, operation.now);
    await tables.keys.addSecret(secret);
    await tables.keys.endOlderSecrets(key.id, secret.hash, new Date(operation.now.getTime() + overlapSeconds * 1000));
    await applyChange(tables, operation, before, key, "key.rotated");
    return { key, plain };
  });
}

/** The key stays listed, and never works again. */
export async function revokeKey(operation: Operation, idOrPrefix: string): Promise<Key> {
  return operation.store.change(async (tables) => {
    const before = await requireUsableKey(tables, idOrPrefix);
    return applyChange(tables, operation, before, { ...before, revoked: operation.now }, "key.revoked");
  });
}

export interface KeyChanges {
  name?: string;
  scopes?: readonly string[];
  cidrs?: readonly string[];
  expires?: Date | null;
}

export async function updateKey(operation: Operation, idOrPrefix: string, changes: KeyChanges): Promise<Key> {
  return operation.store.change(async (tables) => {
    const before = await requireUsableKey(tables, idOrPrefix);
    const after: Key = { ...before };
    if (changes.name !== undefined) after.name = requireKeyName(changes.name);
    if (changes.scopes !== undefined) after.scopes = requireScopes(changes.scopes, before.organizationId);
    if (changes.cidrs !== undefined) after.cidrs = requireCidrs(changes.cidrs);
    if (changes.expires !== undefined) after.expires = requireFutureEnd(changes.expires, operation.now);
    return applyChange(tables, operation, before, after, "key.updated");
  });
}

/** By id or by prefix (dbd_xxxxxxxx). */
export async function requireKey(tables: Pick<Tables, "keys">, idOrPrefix: string): Promise<Key> {
  const key = isUuid(idOrPrefix)
    ? await tables.keys.byId(idOrPrefix.toLowerCase())
    : await byPrefix(tables, idOrPrefix);
  // What was asked for may be a whole secret, pasted by mistake: it is not repeated.
  if (!key) throw notFound("there is no such key: name it by its id or its prefix (dbd_ and 8 characters)");
  return key;
}

async function byPrefix(tables: Pick<Tables, "keys">, text: string): Promise<Key | undefined> {
  return isPrefix(text) ? tables.keys.byPrefix(text) : undefined;
}

async function requireUsableKey(tables: Tables, idOrPrefix: string): Promise<Key> {
  const key = await requireKey(tables, idOrPrefix);
  if (key.revoked) throw conflict(`the key ${key.prefix} was revoked on ${key.revoked.toISOString()}`);
  return key;
}

async function applyChange(
  tables: Tables,
  operation: Operation,
  before: Key,
  after: Key,
  action: Action,
): Promise<Key> {
  await tables.keys.update(after);
  await record(tables, operation, { action, subject: after.id, before, after });
  return after;
}

function secretOf(plain: PlainKey, keyId: string, now: Date): KeySecret {
  return { hash: plain.hash(), keyId, prefix: plain.prefix, created: now, expires: null };
}

export function requireKeyName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > KEY_NAME_MAX_LENGTH || /\p{Cc}/u.test(trimmed)) {
    throw invalid(`a key's name is one line of 1 to ${KEY_NAME_MAX_LENGTH} characters`);
  }
  return trimmed;
}

function requireScopes(scopes: readonly string[], organizationId: string | null): Scope[] {
  for (const scope of scopes) {
    if (!isScope(scope)) throw invalid(`"${scope}" is no scope: choose from ${SCOPES.join(", ")}`);
    if (organizationId !== null && isOperatorScope(scope)) {
      throw invalid(`${scope} is the operator's: a key of an organization cannot have it`);
    }
  }
  return SCOPES.filter((scope) => scopes.includes(scope));
}

function requireCidrs(cidrs: readonly string[]): string[] {
  return [...new Set(cidrs.map(requireCidr))];
}

function requireFutureEnd(expires: Date | null, now: Date): Date | null {
  if (expires !== null && expires <= now) throw invalid(`the key would end in the past (${expires.toISOString()})`);
  return expires;
}
