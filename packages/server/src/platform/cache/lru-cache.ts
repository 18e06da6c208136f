/** A Map that keeps at most `size` entries and evicts the least recently used one. */
export class LruCache<K, V> {
  readonly #size: number;
  /** A Map iterates in insertion order, so its first entry is the least recently used. */
  readonly #entries = new Map<K, V>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#size) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
