/** A syntax error in a CSV. Lines and columns count from 1; columns count characters. */
export class CsvError extends Error {
  override readonly name = "CsvError";
  readonly line: number;
  /** Undefined if the error concerns the whole row. */
  readonly column: number | undefined;

  constructor(line: number, column: number | undefined, reason: string) {
    super(`line ${line}${column === undefined ? "" : `, column ${column}`}: ${reason}`);
    this.line = line;
    this.column = column;
  }
}
