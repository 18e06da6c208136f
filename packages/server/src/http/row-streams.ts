/** Each stream occupies a thread. */
const MAX_STREAMS = 8;
const MAX_STREAMS_PER_ORGANIZATION = 2;

/** The streams of changed rows that this process sends. */
export class RowStreams {
  /** The organization of each stream. */
  readonly #open: string[] = [];

  /** Disposing the result ends the stream. Undefined if too many are open. */
  open(organizationId: string): Disposable | undefined {
    const own = this.#open.filter((id) => id === organizationId).length;
    if (this.#open.length >= MAX_STREAMS || own >= MAX_STREAMS_PER_ORGANIZATION) return undefined;
    this.#open.push(organizationId);
    return { [Symbol.dispose]: () => void this.#open.splice(this.#open.indexOf(organizationId), 1) };
  }

  get size(): number {
    return this.#open.length;
  }
}
