/** How many faults are told one by one; the rest is counted. */
const TOLD = 20;

/** What is wrong with the data or with the way the export was asked for. Nothing was written. */
export class ExportFault extends Error {
  override readonly name = "ExportFault";
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** Gathers faults, so that one run tells many of them. */
export class FaultList {
  readonly #told: string[] = [];
  #count = 0;

  add(fault: string): void {
    this.#count++;
    if (this.#told.length < TOLD) this.#told.push(fault);
  }

  /** `last` are faults that ended the reading: they are told in any case. */
  throwIfAny(last: readonly string[] = []): void {
    const more = this.#count - this.#told.length;
    const faults = [...this.#told, ...(more === 0 ? [] : [`and ${more} more`]), ...last];
    if (faults.length > 0) throw new ExportFault(faults);
  }
}
