import { BoundedCache } from "./bounded-cache.ts";

/**
 * Look-ups in the database whose answers are remembered until they are forgotten on
 * purpose. "There is none" is remembered too, apart, so that guesses cannot push out
 * what is in use.
 */
export class LookUps<K, V extends object> {
  readonly #find: (key: K) => Promise<V | undefined>;
  readonly #known: BoundedCache<K, V>;
  readonly #unknown: BoundedCache<K, true>;
  #forgotten = 0;

  constructor(find: (key: K) => Promise<V | undefined>, size: number) {
    this.#find = find;
    this.#known = new BoundedCache(size);
    this.#unknown = new BoundedCache(Math.ceil(size / 4));
  }

  /** The answer itself when it is remembered: the hot path then waits for nothing. */
  get(key: K): V | undefined | Promise<V | undefined> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    return this.#unknown.get(key) ? undefined : this.#ask(key);
  }

  /** The answer if it is remembered, without asking for it. */
  known(key: K): V | undefined {
    return this.#known.get(key);
  }

  forget(keys: Iterable<K>): void {
    this.#forgotten += 1;
    for (const key of keys) {
      this.#known.delete(key);
      this.#unknown.delete(key);
    }
  }

  async #ask(key: K): Promise<V | undefined> {
    const forgottenBefore = this.#forgotten;
    const found = await this.#find(key);
    // An answer that was read before something was forgotten may be the very thing to forget.
    if (this.#forgotten === forgottenBefore) {
      if (found) this.#known.set(key, found);
      else this.#unknown.set(key, true);
    }
    return found;
  }
}
