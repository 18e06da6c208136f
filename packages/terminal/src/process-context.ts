/** The parts of a process that a command uses. Tests pass their own. */
export interface ProcessContext {
  env: Record<string, string | undefined>;
  writeOut(text: string): void;
  writeErr(text: string): void;
  /** Width of the terminal; undefined if the stream is not a terminal. */
  outColumns?: number | undefined;
  errColumns?: number | undefined;
}

const DEFAULT_COLUMNS = 80;

export const PROCESS: ProcessContext = {
  env: process.env,
  writeOut: (text) => process.stdout.write(text),
  writeErr: (text) => process.stderr.write(text),
  // Getters, because a terminal can be resized while a command runs.
  get outColumns() {
    return columnsOf(process.stdout);
  },
  get errColumns() {
    return columnsOf(process.stderr);
  },
};

function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY ? columns || DEFAULT_COLUMNS : undefined;
}
