import type { SecretHash } from "../keys/secret.ts";
import type { KeyStore, KeyUses, KnownKey } from "../keys/store.ts";
import { KeyTable } from "./key-table.ts";
import { LookUps } from "./look-ups.ts";
import type { KnownSecret, RegisterSource } from "./source.ts";
import type { Texts } from "./texts.ts";

/**
 * A millisecond of the main thread's time: between two portions it answers requests. With 2000 a million keys are there
 * no sooner, and leave 200 MB of garbage behind: what outlives its first collection stays for long.
 */
const PORTION = 250;
/** While the table is not whole; afterwards only what is nobody's is remembered here, and of that a quarter. */
const LOOKED_UP_IN_MEMORY = 10_000;

export interface KeySource extends Pick<RegisterSource, "secretCount" | "secretsAfter"> {
  keys: Pick<KeyStore, "bySecrets">;
}

/**
 * All keys, in memory. Until all of them are, what is missing is looked up in the database. Then a key that is missing
 * is nobody's or newer than the last change taken in: so whatever came since is taken in before it is refused.
 */
export class KnownKeys {
  readonly #source: KeySource;
  readonly #table: KeyTable;
  readonly #lookUps: LookUps<SecretHash, KnownKey>;
  readonly #refresh: () => Promise<void>;
  #last: KnownSecret | undefined;
  #isWhole = false;

  constructor(source: KeySource, refresh: () => Promise<void>, organizations?: Texts) {
    this.#source = source;
    this.#table = new KeyTable(organizations);
    this.#refresh = refresh;
    this.#lookUps = new LookUps((hashes) => this.#findAll(hashes), LOOKED_UP_IN_MEMORY);
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** A key that needs no look-up. */
  known(hash: SecretHash): KnownKey | undefined {
    return this.#table.get(hash) ?? this.#lookUps.known(hash);
  }

  get(hash: SecretHash): KnownKey | undefined | Promise<KnownKey | undefined> {
    return this.#table.get(hash) ?? this.#lookUps.get(hash);
  }

  takeUses(limit: number): KeyUses {
    return this.#table.takeUses(limit);
  }

  /** What has changed. */
  put(secrets: readonly KnownSecret[]): void {
    for (const secret of secrets) this.#table.put(secret.hash, secret);
    this.#lookUps.forget(secrets.map(({ hash }) => hash));
  }

  forgetLookUps(): void {
    this.#lookUps.forgetAll();
  }

  /** Where it fails, the next call tries the same portion again. */
  async takeInPortion(): Promise<void> {
    const isFirst = !this.#last;
    const portion = await this.#source.secretsAfter(this.#last, PORTION);
    // What is there came with a change, perhaps while this portion was on its way, and is as new or newer.
    for (const secret of portion) this.#table.add(secret.hash, secret);
    this.#last = portion.at(-1);
    if (portion.length === PORTION) {
      // Few keys need no room made for them, and no further question of a database that is busy with a start.
      if (isFirst) this.#table.reserve(await this.#source.secretCount());
      return;
    }
    this.#isWhole = true;
    this.#last = undefined;
    this.#lookUps.forgetAll();
  }

  async #findAll(hashes: readonly SecretHash[]): Promise<Map<SecretHash, KnownKey>> {
    if (!this.#isWhole) {
      const found = await this.#source.keys.bySecrets(hashes);
      return new Map(found.map((known) => [known.secret.hash, known]));
    }
    await this.#refresh();
    const found = new Map<SecretHash, KnownKey>();
    for (const hash of hashes) {
      const known = this.#table.get(hash);
      if (known) found.set(hash, known);
    }
    return found;
  }
}
