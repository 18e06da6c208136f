import { type Colours, coloursFor } from "./colours.ts";
import type { Result } from "./command.ts";
import { oneLine, printable, printableJson } from "./control-characters.ts";
import type { ProcessContext } from "./process-context.ts";
import { Progress } from "./progress.ts";
import { type Cell, details, type Paint, table } from "./table.ts";

export interface OutputOptions {
  /** The program's name, printed before warnings. */
  program: string;
  isJson: boolean;
}

/** Prints for a command. Results go to stdout; messages and progress go to stderr. */
export class Output {
  readonly isJson: boolean;
  readonly colours: Colours;
  readonly #process: ProcessContext;
  readonly #program: string;
  #progress: Progress | undefined;

  constructor(process: ProcessContext, { program, isJson }: OutputOptions) {
    this.isJson = isJson;
    this.colours = coloursFor(process.outColumns, process.env);
    this.#process = process;
    this.#program = program;
  }

  /** Width of the terminal that results go to; undefined if it is not a terminal. */
  get columns(): number | undefined {
    return this.#process.outColumns;
  }

  /** Whether a person is watching stderr. */
  get isInteractive(): boolean {
    return this.#process.errColumns !== undefined;
  }

  /** Prints a message for people; silent with --json. */
  info(text: string): void {
    if (!this.isJson) this.#writeErr(text);
  }

  /** Prints a line that the person needs, also with --json. */
  instruct(message: string): void {
    this.#writeErr(`${oneLine(message)}\n`);
  }

  /** Prints a warning, also with --json. */
  warn(message: string): void {
    this.#writeErr(`${this.#program}: warning: ${oneLine(message)}\n`);
  }

  /** Prints a result now. Long-running commands call this; others return their result. */
  print({ json, text }: Result): void {
    this.#process.writeOut(this.isJson ? `${printableJson(JSON.stringify(json, null, 2))}\n` : printable(text));
  }

  /** Rows under headings, fitted to the terminal; `none` if there are no rows. */
  table(
    headings: readonly string[],
    rows: readonly (readonly Cell[])[],
    none: string,
    paint?: Paint,
    wholeColumns?: number,
  ): string {
    return table(headings, rows, none, { columns: this.columns, ...(paint && { paint }), wholeColumns });
  }

  /** "name  value" lines, fitted to the terminal. */
  details(fields: Record<string, Cell>): string {
    return details(fields, { columns: this.columns });
  }

  /** Progress bars on stderr. */
  progress(): Progress {
    this.#progress ??= new Progress({
      write: (text) => {
        if (!this.isJson) this.#process.writeErr(text);
      },
      columns: () => this.#process.errColumns,
    });
    return this.#progress;
  }

  /** A message must not end up in the middle of a progress bar. */
  #writeErr(text: string): void {
    this.#progress?.erase();
    this.#process.writeErr(printable(text));
  }
}
