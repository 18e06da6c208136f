/** Where a run prints to, and where its settings come from. */
export interface Surroundings {
  environment: Record<string, string | undefined>;
  out(text: string): void;
  err(text: string): void;
  /** How wide the screens are that these go to; left out where it is no screen but a pipe or a file. */
  outColumns?: number | undefined;
  errColumns?: number | undefined;
}

/** Some terminals do not tell. */
const USUAL_COLUMNS = 80;

export const PROCESS: Surroundings = {
  environment: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  // Asked anew each time: a window can be drawn wider.
  get outColumns() {
    return columnsOf(process.stdout);
  },
  get errColumns() {
    return columnsOf(process.stderr);
  },
};

function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY ? columns || USUAL_COLUMNS : undefined;
}
