import type { KeySort } from "@dbdepot/contract/iam/keys";
import type { Credential } from "../access/credential.ts";
import type { SecretHash } from "../access/secret.ts";
import type { Page, PageRequest } from "../page.ts";
import type { Key, KeyCreation, KeySecret } from "./key.ts";

export interface KeyFilter {
  organizationId?: string | undefined;
  /** Whether the key is neither revoked nor expired at the time. */
  active?: { is: boolean; at: Date } | undefined;
}

export interface KeyStore {
  insert(key: Key, secret: KeySecret): Promise<void>;
  byId(id: string): Promise<Key | undefined>;
  /** Also finds a key by the prefix of one of its older secrets. */
  byPrefix(prefix: string): Promise<Key | undefined>;
  bySecret(hash: SecretHash): Promise<Credential | undefined>;
  /** Returns credentials in any order. Unknown hashes are omitted. */
  bySecrets(hashes: readonly SecretHash[]): Promise<Credential[]>;
  /** The names of keys and legacy keys by id. Unknown ids are omitted. */
  names(ids: readonly string[]): Promise<Map<string, string>>;
  /** Newest first. */
  list(filter: KeyFilter): Promise<Key[]>;
  /** Newest first unless the request says otherwise. */
  page(filter: KeyFilter, request: PageRequest<KeySort>): Promise<Page<Key>>;
  /** Keys of organizations that expire between the two times and were not revoked. */
  expiring(after: Date, before: Date): Promise<Key[]>;
  /** The organization's keys that are neither revoked nor expired. */
  countLive(organizationId: string, now: Date): Promise<number>;
  update(key: Key): Promise<void>;
  /**
   * Stores when keys and legacy keys were last used. Not a change in the sense of `Store.change`: registers ignore it.
   */
  setLastUsed(uses: readonly (readonly [keyId: string, used: Date])[]): Promise<void>;
  addSecret(secret: KeySecret): Promise<void>;
  /** Makes every secret of the key but the newest, which has the key's prefix, expire at `end`, unless it expires earlier. */
  endOlderSecrets(key: Pick<Key, "id" | "prefix">, end: Date): Promise<void>;

  /** The times when the old secrets of rotated keys stop working, by key id. Keys without such a secret are omitted. */
  overlaps(keyIds: readonly string[], now: Date): Promise<Map<string, Date>>;

  creation(organizationId: string, idempotencyHash: string): Promise<KeyCreation | undefined>;
  insertCreation(creation: KeyCreation): Promise<void>;
  removeCreations(upTo: Date): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    keys: KeyStore;
  }
  interface Rules {
    /** Live keys an organization can have. */
    maxKeysPerOrganization: number;
  }
}
