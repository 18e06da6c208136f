import type { DoorKey, Key, KeyCreation, KeySecret } from "./key.ts";
import type { LegacyKey } from "./legacy-key.ts";
import type { SecretHash } from "./secret.ts";

/** A key, and the one of its secrets that it was found by: what the door asks of both. */
export interface KnownKey {
  key: DoorKey;
  secret: Pick<KeySecret, "expires">;
  /** Where it stands in the register's table, if it does. */
  place?: KeyPlace;
}

/** A place in the register's table. */
export interface KeyPlace {
  /** The number of the organization's text there; negative where it has none. */
  readonly organizationNumber: number;
  /** Costs nothing, and no room: a million keys may be in use. */
  noteUse(usedMs: number): void;
}

/** The same with all that is stored of them. */
interface StoredKey extends KnownKey {
  key: Key;
  secret: KeySecret;
}

/** When keys were last used, in milliseconds. */
export type KeyUses = readonly (readonly [keyId: string, usedMs: number])[];

export interface KeyStore {
  insert(key: Key, secret: KeySecret): Promise<void>;
  byId(id: string): Promise<Key | undefined>;
  /** Keys are told apart by their prefix too: it is what people see. */
  byPrefix(prefix: string): Promise<Key | undefined>;
  bySecret(hash: SecretHash): Promise<StoredKey | undefined>;
  /** In no order; what is unknown is left out. */
  bySecrets(hashes: readonly SecretHash[]): Promise<StoredKey[]>;
  /** Newest first; of one organization where it is given; `limit` of those older than the key `before` (its id). */
  list(filter: { organizationId?: string; before?: string; limit?: number }): Promise<Key[]>;
  update(key: Key): Promise<void>;
  /** When keys were last used, legacy ones too. No change in the sense of `Store.change`: no register needs to know. */
  setLastUsed(uses: KeyUses): Promise<void>;
  addSecret(secret: KeySecret): Promise<void>;
  /** Every secret of the key but the newest ends at `end`, or at its own end if that is earlier. */
  endOlderSecrets(keyId: string, newest: SecretHash, end: Date): Promise<void>;

  creation(organizationId: string, idempotencyHash: string): Promise<KeyCreation | undefined>;
  insertCreation(creation: KeyCreation): Promise<void>;
  removeCreations(upTo: Date): Promise<void>;
}

export interface LegacyKeyStore {
  insert(key: LegacyKey): Promise<void>;
  byId(id: string): Promise<LegacyKey | undefined>;
  byHash(hash: SecretHash): Promise<LegacyKey | undefined>;
  /** As `KeyStore.list`. */
  list(filter?: { organizationId?: string; before?: string; limit?: number }): Promise<LegacyKey[]>;
  update(key: LegacyKey): Promise<void>;
}
