/**
 * Remembers the entries that were used last, up to a size. Two generations instead of an
 * ordered list: an entry that is in use moves to the young one, and when that is full the
 * old one is forgotten whole. A hit costs one look-up.
 */
export class BoundedCache<K, V> {
  readonly #generationSize: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(size: number) {
    this.#generationSize = Math.max(1, Math.ceil(size / 2));
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#generationSize && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
