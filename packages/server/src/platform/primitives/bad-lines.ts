import { Fault } from "./faults.ts";

export interface BadLine {
  line: number;
  reason: string;
}

/** The message names this many lines, because it may end up in a log. */
const NAMED_LINES = 20;

/** Lines of a file that cannot be imported. If there are any, nothing is imported. */
export class BadLines extends Fault {
  readonly lines: readonly BadLine[];

  constructor(lines: readonly BadLine[]) {
    const named = lines.slice(0, NAMED_LINES).map(inWords).join("; ");
    const others = lines.length > NAMED_LINES ? `; and ${lines.length - NAMED_LINES} more` : "";
    super("invalid", `nothing was imported: ${named}${others}`);
    this.name = "BadLines";
    this.lines = lines;
  }
}

export function inWords({ line, reason }: BadLine): string {
  return `line ${line}: ${reason}`;
}

/** Collects what is wrong with a file, so that everything is reported at once. */
export class LineFaults {
  readonly #lines: BadLine[] = [];

  add(line: number, reason: string): void {
    this.#lines.push({ line, reason });
  }

  /** Returns undefined, and remembers the fault, if a check throws one. */
  check<T>(line: number, check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.add(line, error.message);
      return undefined;
    }
  }

  /** Throws all faults, in the order of the lines. */
  throwIfAny(): void {
    if (this.#lines.length > 0) throw new BadLines(this.#lines.toSorted((a, b) => a.line - b.line));
  }
}
