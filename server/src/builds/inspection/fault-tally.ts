/** How many faults of one file are told one by one; the rest is counted. */
const TOLD = 10;

/** Faults in the order in which they are met. A broken file can have millions of them. */
export class FaultTally {
  readonly #told: string[] = [];
  #count = 0;

  add(fault: string): void {
    this.#count += 1;
    if (this.#told.length < TOLD) this.#told.push(fault);
  }

  list(): string[] {
    const untold = this.#count - this.#told.length;
    return untold === 0 ? [...this.#told] : [...this.#told, `and ${untold} more like these`];
  }
}
