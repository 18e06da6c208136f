import { setImmediate as nextTick } from "node:timers/promises";
import { LRUCache } from "lru-cache";

/** Returns an entry for every key that exists. */
type LoadAll<K, V> = (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>;

interface Batch<K, V> {
  keys: K[];
  result: Promise<ReadonlyMap<K, V>>;
}

/**
 * Loads missing entries in batches, one batch at a time, and caches them until they are invalidated. Keys that don't
 * exist are cached separately, so that a flood of them cannot evict entries that are in use.
 */
export class ReadThroughCache<K extends {}, V extends {}> {
  readonly #loadAll: LoadAll<K, V>;
  readonly #found: LRUCache<K, V>;
  readonly #missing: LRUCache<K, true>;
  #invalidations = 0;
  #nextBatch: Batch<K, V> | undefined;
  #loading: Promise<unknown> = Promise.resolve();

  constructor(loadAll: LoadAll<K, V>, size: number) {
    this.#loadAll = loadAll;
    // With `max` instead of `maxSize`, the caches would allocate memory for all entries at once.
    this.#found = new LRUCache({ maxSize: size, sizeCalculation: () => 1 });
    this.#missing = new LRUCache({ maxSize: Math.ceil(size / 4), sizeCalculation: () => 1 });
  }

  async get(key: K): Promise<V | undefined> {
    const found = this.#found.get(key);
    if (found !== undefined || this.#missing.get(key)) return found;
    return this.#load(key);
  }

  invalidate(keys: Iterable<K>): void {
    this.#invalidations += 1;
    for (const key of keys) {
      this.#found.delete(key);
      this.#missing.delete(key);
    }
  }

  clear(): void {
    this.#invalidations += 1;
    this.#found.clear();
    this.#missing.clear();
  }

  async #load(key: K): Promise<V | undefined> {
    const invalidations = this.#invalidations;
    this.#nextBatch ??= this.#scheduleBatch();
    this.#nextBatch.keys.push(key);
    const value = (await this.#nextBatch.result).get(key);
    // A value that was read before an invalidation may be the one that was invalidated: don't cache it.
    if (this.#invalidations === invalidations) {
      if (value === undefined) this.#missing.set(key, true);
      else this.#found.set(key, value);
    }
    return value;
  }

  #scheduleBatch(): Batch<K, V> {
    const keys: K[] = [];
    const result = Promise.all([this.#loading, nextTick()]).then(() => {
      this.#nextBatch = undefined;
      return this.#loadAll(keys);
    });
    this.#loading = result.catch(() => {});
    return { keys, result };
  }
}

/** Loads entries one at a time, for those that are used too rarely to be worth a batch query. */
export function oneByOne<K, V>(load: (key: K) => Promise<V | undefined>): LoadAll<K, V> {
  return async (keys) => {
    const found = new Map<K, V>();
    for (const key of keys) {
      const value = await load(key);
      if (value !== undefined) found.set(key, value);
    }
    return found;
  };
}
