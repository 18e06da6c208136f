/** How many faults are listed; the others are counted. */
const MAX_LISTED = 20;

/** The data or the options are invalid. Nothing was written. */
export class ExportFault extends Error {
  override readonly name = "ExportFault";
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/** Collects faults, so that one run reports many of them. */
export class FaultList {
  readonly #listed: string[] = [];
  #count = 0;

  add(fault: string): void {
    this.#count++;
    if (this.#listed.length < MAX_LISTED) this.#listed.push(fault);
  }

  /** `last` are faults that stopped the export, which are always listed. */
  throwIfAny(last: readonly string[] = []): void {
    const more = this.#count - this.#listed.length;
    const faults = [...this.#listed, ...(more === 0 ? [] : [`and ${more} more`]), ...last];
    if (faults.length > 0) throw new ExportFault(faults);
  }
}
