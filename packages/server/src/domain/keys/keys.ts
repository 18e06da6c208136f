import { KEY_NAME_MAX_LENGTH, OVERLAP_MAX_SECONDS } from "@dbdepot/contract/iam/keys";
import { isOperatorScope, isScope, SCOPES, type Scope } from "@dbdepot/contract/shared/scopes";
import { conflict, Fault, invalid, notFound } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import { requireCidr } from "../access/cidrs.ts";
import { isPrefix, PlainKey } from "../access/secret.ts";
import { record } from "../audit/audit.ts";
import { announce } from "../events/events.ts";
import type { Operation, Tables } from "../store.ts";
import { type KeyEventType, keyEvent } from "./events.ts";
import type { Key, KeySecret } from "./key.ts";

export { OVERLAP_MAX_SECONDS };

export const DEFAULT_MAX_KEYS_PER_ORGANIZATION = 1000;

/** A key together with its secret, which exists only in the response that issues it. */
export interface IssuedKey {
  key: Key;
  plain: PlainKey;
}

export interface KeyRequest {
  organizationId: string | null;
  name: string;
  scopes: readonly string[];
  cidrs: readonly string[];
  expires: Date | null;
}

/** The key to change: an id, a prefix, or a function that finds it and checks that the caller may change it. */
export type KeySubject = string | ((tables: Tables) => Promise<Key>);

export async function createKey(operation: Operation, request: KeyRequest): Promise<IssuedKey> {
  return operation.store.change((tables) => insertKey(tables, operation, request));
}

export async function insertKey(tables: Tables, operation: Operation, request: KeyRequest): Promise<IssuedKey> {
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
  await requireRoom(tables, operation, key);
  await tables.keys.insert(key, secretOf(plain, key.id, operation.now));
  await record(tables, operation, { action: "key.created", subject: key.id, after: key });
  await announceKey(tables, operation, "key.created", key);
  return { key, plain };
}

/** Issues a new secret. The old one keeps working for `overlapSeconds`. */
export async function rotateKey(operation: Operation, subject: KeySubject, overlapSeconds: number): Promise<IssuedKey> {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > OVERLAP_MAX_SECONDS) {
    throw invalid(`the overlap must be a whole number of seconds from 0 to ${OVERLAP_MAX_SECONDS} (7 days)`);
  }
  const plain = PlainKey.generate();
  return operation.store.change(async (tables) => {
    const before = await requireUsableKey(tables, subject);
    return rotateIn(tables, operation, { before, key: before, plain }, overlapSeconds);
  });
}

/** Gives a usable key another secret. `key` is the key after the change. Call it in a transaction. */
export async function rotateIn(
  tables: Tables,
  operation: Operation,
  { before, key, plain }: IssuedKey & { before: Key },
  overlapSeconds: number,
): Promise<IssuedKey> {
  const rotated: Key = { ...key, prefix: plain.prefix };
  await tables.keys.addSecret(secretOf(plain, key.id, operation.now));
  await tables.keys.endOlderSecrets(rotated, new Date(operation.now.getTime() + overlapSeconds * 1000));
  await applyKeyChange(tables, operation, before, rotated, "key.rotated");
  return { key: rotated, plain };
}

/** Makes the old secret of a rotated key stop working now. Does nothing if none works any more. */
export async function endOverlap(operation: Operation, subject: KeySubject): Promise<Key> {
  const { store, now } = operation;
  return store.change(async (tables) => {
    const key = await requireUsableKey(tables, subject);
    const end = (await tables.keys.overlaps([key.id], now)).get(key.id);
    if (!end) return key;
    await tables.keys.endOlderSecrets(key, now);
    // Writes the key, so that registers load its secrets again.
    await tables.keys.update(key);
    const deed = { before: { ...key, oldSecretUntil: end }, after: { ...key, oldSecretUntil: null } };
    await record(tables, operation, { action: "key.overlap_ended", subject: key.id, ...deed });
    return key;
  });
}

/** Revokes a key permanently. It stays listed. */
export async function revokeKey(operation: Operation, subject: string): Promise<Key> {
  return operation.store.change(async (tables) => {
    const before = await requireUsableKey(tables, subject);
    return markRevoked(tables, operation, before);
  });
}

export function markRevoked(tables: Tables, operation: Operation, before: Key): Promise<Key> {
  return applyKeyChange(tables, operation, before, { ...before, revoked: operation.now }, "key.revoked");
}

export interface KeyChanges {
  name?: string;
  scopes?: readonly string[];
  cidrs?: readonly string[];
  expires?: Date | null;
}

export async function updateKey(operation: Operation, subject: KeySubject, changes: KeyChanges): Promise<Key> {
  return operation.store.change(async (tables) => {
    const before = await requireUsableKey(tables, subject);
    const after: Key = { ...before };
    if (changes.name !== undefined) after.name = requireKeyName(changes.name);
    if (changes.scopes !== undefined) after.scopes = requireScopes(changes.scopes, before.organizationId);
    if (changes.cidrs !== undefined) after.cidrs = requireCidrs(changes.cidrs);
    if (changes.expires !== undefined) after.expires = requireFutureEnd(changes.expires, operation.now);
    if (isExpired(before, operation.now)) await requireRoom(tables, operation, after);
    return applyKeyChange(tables, operation, before, after, "key.updated");
  });
}

/** Finds a key by id or by prefix (dbd_xxxxxxxx). */
export async function requireKey(tables: Pick<Tables, "keys">, idOrPrefix: string): Promise<Key> {
  const key = isUuid(idOrPrefix)
    ? await tables.keys.byId(idOrPrefix.toLowerCase())
    : await byPrefix(tables, idOrPrefix);
  // The message does not repeat the text, which may be a whole secret, pasted by mistake.
  if (!key) throw notFound("there is no such key: use its id or its prefix (dbd_ and 8 characters)");
  return key;
}

async function byPrefix(tables: Pick<Tables, "keys">, text: string): Promise<Key | undefined> {
  return isPrefix(text) ? tables.keys.byPrefix(text) : undefined;
}

async function requireUsableKey(tables: Tables, subject: KeySubject): Promise<Key> {
  const key = typeof subject === "string" ? await requireKey(tables, subject) : await subject(tables);
  if (key.revoked) throw conflict(`the key ${key.prefix} was revoked on ${key.revoked.toISOString()}`);
  return key;
}

/** An organization has a limited number of live keys, so that lists and registers stay small. */
async function requireRoom(tables: Tables, operation: Operation, key: Key): Promise<void> {
  const { now, rules } = operation;
  const maximum = rules?.maxKeysPerOrganization ?? DEFAULT_MAX_KEYS_PER_ORGANIZATION;
  if (key.organizationId === null || isExpired(key, now)) return;
  if ((await tables.keys.countLive(key.organizationId, now)) < maximum) return;
  throw new Fault(
    "too_many_keys",
    `the organization already has ${maximum} live keys: revoke one, or raise DBDEPOT_MAX_KEYS_PER_ORGANIZATION`,
  );
}

export function isExpired({ expires }: Pick<Key, "expires">, now: Date): boolean {
  return expires !== null && expires <= now;
}

/** Writes a change that has been checked. Call it in a transaction. */
export async function applyKeyChange(
  tables: Tables,
  operation: Operation,
  before: Key,
  after: Key,
  action: "key.rotated" | "key.revoked" | "key.updated",
): Promise<Key> {
  await tables.keys.update(after);
  await record(tables, operation, { action, subject: after.id, before, after });
  if (action !== "key.updated") await announceKey(tables, operation, action, after);
  return after;
}

/** Operator keys belong to no organization, so their changes have no events. */
async function announceKey(tables: Tables, operation: Operation, type: KeyEventType, key: Key): Promise<void> {
  const { organizationId } = key;
  if (organizationId !== null) await announce(tables, operation, keyEvent(type, { ...key, organizationId }));
}

export function secretOf(plain: PlainKey, keyId: string, now: Date): KeySecret {
  return { hash: plain.hash(), keyId, prefix: plain.prefix, created: now, expires: null };
}

export function requireKeyName(name: string): string {
  const trimmed = name.trim();
  const isLine = trimmed !== "" && trimmed.isWellFormed() && !/\p{Cc}/u.test(trimmed);
  // Counts code points, so that an emoji is one character.
  if (!isLine || [...trimmed].length > KEY_NAME_MAX_LENGTH) {
    throw invalid(`a key's name must be one line of 1 to ${KEY_NAME_MAX_LENGTH} characters`);
  }
  return trimmed;
}

export function requireScopes(scopes: readonly string[], organizationId: string | null): Scope[] {
  for (const scope of scopes) {
    if (!isScope(scope)) throw invalid(`"${scope}" is not a scope: choose from ${SCOPES.join(", ")}`);
    if (organizationId !== null && isOperatorScope(scope)) {
      throw invalid(`${scope} is an operator scope: a key of an organization cannot have it`);
    }
  }
  return SCOPES.filter((scope) => scopes.includes(scope));
}

export function requireCidrs(cidrs: readonly string[]): string[] {
  return [...new Set(cidrs.map(requireCidr))];
}

export function requireFutureEnd(expires: Date | null, now: Date): Date | null {
  if (expires !== null && expires <= now) throw invalid(`the key would expire in the past (${expires.toISOString()})`);
  return expires;
}
