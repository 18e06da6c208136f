import type { Credential } from "../domain/access/credential.ts";
import type { SecretHash } from "../domain/access/secret.ts";
import type { KeyStore } from "../domain/keys/store.ts";
import type { RegisterSource } from "../domain/register-source.ts";
import { ReadThroughCache } from "../platform/cache/read-through-cache.ts";
import { KeyTable } from "./key-table.ts";

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

  async get(hash: SecretHash): Promise<Credential | undefined> {
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
