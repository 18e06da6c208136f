/** What is wrong with a file, and in which line. */
export interface LineFault {
  line: number;
  message: string;
}

export class LineFaults extends Error {
  readonly faults: readonly LineFault[];

  constructor(faults: readonly LineFault[]) {
    super(faults.map(({ message }) => message).join("; "));
    this.faults = faults;
  }

  static at(line: number, message: string): LineFaults {
    return new LineFaults([{ line, message }]);
  }
}

/** What `read` finds wrong belongs to this line, unless it knows better. */
export function inLine<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof LineFaults ? error : LineFaults.at(line, (error as Error).message);
  }
}

/** All of them, or all that is wrong with any of them. */
export function eachInLine<T extends { line: number }, R>(items: readonly T[], read: (item: T) => R): R[] {
  const faults: LineFault[] = [];
  const results = items.flatMap((item) => {
    try {
      return [inLine(item.line, () => read(item))];
    } catch (error) {
      faults.push(...(error as LineFaults).faults);
      return [];
    }
  });
  if (faults.length > 0) throw new LineFaults(faults);
  return results;
}
