import type { Credential } from "../domain/access/credential.ts";
import type { SecretHash } from "../domain/access/secret.ts";
import type { KeyStore } from "../domain/keys/store.ts";
import { ReadThroughCache } from "../platform/cache/read-through-cache.ts";
import type { RegisterSource } from "./source.ts";

const PAGE_SIZE = 1000;
const LOOKUPS_CACHED = 10_000;

export interface KeySource extends Pick<RegisterSource, "credentialsAfter"> {
  keys: Pick<KeyStore, "bySecrets">;
}

/**
 * The credentials of all keys by the hash of their secret. They are loaded in the background after the start; until
 * then, a missing one is looked up in the database. Once all are loaded, a missing one doesn't exist or was created a
 * moment ago, so the register is refreshed before the key is refused. Concurrent lookups share a query or a refresh.
 */
export class KeyIndex {
  readonly #source: KeySource;
  readonly #refresh: () => Promise<void>;
  readonly #credentials = new KeyTable();
  readonly #lookups = new ReadThroughCache<SecretHash, Credential>((hashes) => this.#lookUp(hashes), LOOKUPS_CACHED);
  #last: Credential | undefined;
  #isComplete = false;

  constructor(source: KeySource, refresh: () => Promise<void>) {
    this.#source = source;
    this.#refresh = refresh;
  }

  get size(): number {
    return this.#credentials.size;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** A promise only if the credential is not in memory, so that most requests don't wait. */
  get(hash: SecretHash): Credential | Promise<Credential | undefined> {
    return this.#credentials.get(hash) ?? this.#lookups.get(hash);
  }

  update(changed: readonly Credential[]): void {
    for (const credential of changed) this.#credentials.set(credential);
    this.#lookups.invalidate(changed.map(({ hash }) => hash));
  }

  /** If it fails, the next call loads the same page again. */
  async loadNextPage(): Promise<void> {
    const page = await this.#source.credentialsAfter(this.#last, PAGE_SIZE);
    for (const credential of page) {
      // A credential that is already here came with a change, which may be newer than this page.
      if (!this.#credentials.has(credential.hash)) this.#credentials.set(credential);
    }
    this.#last = page.at(-1);
    if (page.length === PAGE_SIZE) return;
    this.#last = undefined;
    this.#isComplete = true;
    this.#lookups.clear();
  }

  async #lookUp(hashes: readonly SecretHash[]): Promise<ReadonlyMap<SecretHash, Credential>> {
    return new Map((await this.#findAll(hashes)).map((credential) => [credential.hash, credential]));
  }

  async #findAll(hashes: readonly SecretHash[]): Promise<Credential[]> {
    if (!this.#isComplete) return this.#source.keys.bySecrets(hashes);
    await this.#refresh();
    return hashes.map((hash) => this.#credentials.get(hash)).filter((found) => found !== undefined);
  }
}

/** The part of a credential that the keys of an organization usually have in common. */
type Grant = Pick<Credential, "organizationId" | "scopes" | "cidrs">;

const FIRST_ROWS = 1024;
const HASH_BYTES = 32;
const UUID_BYTES = 16;

/**
 * Credentials by the hash of their secret: a Map in columns outside of the JavaScript heap, because a million objects
 * would take too much memory (docs/decisions/0007-keys-in-memory.md).
 * Nothing is ever removed, because keys are not: a revoked key stays known.
 */
export class KeyTable {
  readonly #hashes = new ByteColumn(HASH_BYTES);
  readonly #ids = new ByteColumn(UUID_BYTES);
  readonly #grants: Grant[] = [];
  readonly #sharedGrants = new Map<string, Grant>();
  readonly #expires = new DateColumn();
  readonly #revoked = new DateColumn();
  readonly #secretExpires = new DateColumn();
  /**
   * A hash table with open addressing. A slot contains a row number plus one, or 0. At most half of them are in use.
   */
  #slots = new Uint32Array(FIRST_ROWS * 2);
  /** The hash that is being looked for. */
  readonly #wanted = Buffer.alloc(HASH_BYTES);

  get size(): number {
    return this.#grants.length;
  }

  has(hash: SecretHash): boolean {
    return this.#slots[this.#findSlot(hash)] !== 0;
  }

  get(hash: SecretHash): Credential | undefined {
    const row = (this.#slots[this.#findSlot(hash)] as number) - 1;
    if (row < 0) return undefined;
    return {
      hash,
      id: toUuid(this.#ids.get(row)),
      ...(this.#grants[row] as Grant),
      expires: this.#expires.get(row),
      revoked: this.#revoked.get(row),
      secretExpires: this.#secretExpires.get(row),
    };
  }

  set(credential: Credential): void {
    const slot = this.#findSlot(credential.hash);
    let row = (this.#slots[slot] as number) - 1;
    if (row < 0) {
      row = this.#grants.length;
      this.#hashes.set(row, credential.hash);
      this.#slots[slot] = row + 1;
    }
    this.#ids.set(row, credential.id.replaceAll("-", ""));
    this.#grants[row] = this.#grantOf(credential);
    this.#expires.set(row, credential.expires);
    this.#revoked.set(row, credential.revoked);
    this.#secretExpires.set(row, credential.secretExpires);
    if (this.#grants.length * 2 > this.#slots.length) this.#growSlots();
  }

  /** The slot of this hash, or the free one where it belongs. SHA-256 is uniform, so its first bytes are the slot. */
  #findSlot(hash: SecretHash): number {
    this.#wanted.write(hash, "hex");
    let slot = this.#wanted.readUInt32LE() % this.#slots.length;
    for (let taken = this.#slots[slot]; taken; taken = this.#slots[slot]) {
      if (this.#hashes.equals(taken - 1, this.#wanted)) break;
      slot = (slot + 1) % this.#slots.length;
    }
    return slot;
  }

  #growSlots(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    for (let row = 0; row < this.#grants.length; row += 1) {
      let slot = this.#hashes.firstWord(row) % slots.length;
      while (slots[slot] !== 0) slot = (slot + 1) % slots.length;
      slots[slot] = row + 1;
    }
    this.#slots = slots;
  }

  #grantOf({ organizationId, scopes, cidrs }: Credential): Grant {
    // Lists of CIDRs are not shared: customers can make up any number of them.
    if (cidrs.length > 0) return { organizationId, scopes, cidrs };
    const name = `${organizationId} ${scopes.join()}`;
    let grant = this.#sharedGrants.get(name);
    if (!grant) {
      grant = { organizationId, scopes, cidrs };
      this.#sharedGrants.set(name, grant);
    }
    return grant;
  }
}

/** Values of equal length. Callers use hexadecimal strings; they are stored as bytes. */
class ByteColumn {
  readonly #width: number;
  #bytes: Buffer;

  constructor(width: number) {
    this.#width = width;
    this.#bytes = Buffer.alloc(FIRST_ROWS * width);
  }

  get(row: number): string {
    return this.#bytes.toString("hex", row * this.#width, (row + 1) * this.#width);
  }

  firstWord(row: number): number {
    return this.#bytes.readUInt32LE(row * this.#width);
  }

  equals(row: number, value: Buffer): boolean {
    return this.#bytes.compare(value, 0, this.#width, row * this.#width, (row + 1) * this.#width) === 0;
  }

  set(row: number, hex: string): void {
    if ((row + 1) * this.#width > this.#bytes.length) {
      const larger = Buffer.alloc(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.write(hex, row * this.#width, "hex");
  }
}

class DateColumn {
  #times = new Float64Array(FIRST_ROWS);

  get(row: number): Date | null {
    const time = this.#times[row] as number;
    return Number.isNaN(time) ? null : new Date(time);
  }

  set(row: number, date: Date | null): void {
    if (row >= this.#times.length) {
      const larger = new Float64Array(this.#times.length * 2);
      larger.set(this.#times);
      this.#times = larger;
    }
    this.#times[row] = date?.getTime() ?? Number.NaN;
  }
}

function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
