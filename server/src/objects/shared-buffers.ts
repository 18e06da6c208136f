/**
 * A few buffers that many share, in turn: whoever finds none waits in line. The one that came back last is given out
 * first, since the processor's caches still have it.
 */
export class SharedBuffers {
  readonly #bytes: number;
  readonly #most: number;
  readonly #patienceMs: number;
  readonly #free: Buffer[] = [];
  readonly #line: ((buffer: Buffer | undefined) => void)[] = [];
  #made = 0;
  #patience: NodeJS.Timeout | undefined;
  /** Since none has come back for so long that those in line were sent away. */
  #areStuck = false;

  constructor(options: { bytes: number; most: number; patienceMs: number }) {
    this.#bytes = options.bytes;
    this.#most = options.most;
    this.#patienceMs = options.patienceMs;
  }

  get areAwaited(): boolean {
    return this.#line.length > 0;
  }

  /** Undefined when none comes back for a while: nobody has to wait for those who are stuck with theirs. */
  async take(): Promise<Buffer | undefined> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#made < this.#most) {
      this.#made += 1;
      return Buffer.allocUnsafeSlow(this.#bytes);
    }
    if (this.#areStuck) return undefined;
    this.#patience ??= setTimeout(() => this.#sendAway(), this.#patienceMs).unref();
    return new Promise((resolve) => this.#line.push(resolve));
  }

  giveBack(buffer: Buffer): void {
    this.#areStuck = false;
    const next = this.#line.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
    if (this.#line.length > 0) this.#patience?.refresh();
    else this.#stopWaiting();
  }

  #sendAway(): void {
    this.#areStuck = true;
    this.#stopWaiting();
    for (const next of this.#line.splice(0)) next(undefined);
  }

  #stopWaiting(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }
}
