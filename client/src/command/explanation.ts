import type { Explanation } from "@dbdepot/terminal/program";
import { sanitize } from "@dbdepot/terminal/table";
import { DbdepotError, type ErrorKind } from "../errors.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";

/** Everything that is wrong with the settings. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("; "));
    this.problems = problems;
  }
}

const ADVICE: Partial<Record<ErrorKind, string>> = {
  network: 'run "dbdepot doctor"',
  timeout: 'run "dbdepot doctor"',
  unauthorized: 'look at the key and its scopes; "dbdepot config" shows where it is taken from',
  not_licensed: "ask your vendor for a licence",
  licence_expired: "ask your vendor to renew it",
  not_found: '"dbdepot list" shows the ids that there are',
  storage: 'run "dbdepot doctor"',
};

/** The message and the exit code for an error. */
export function explain(error: unknown): Explanation {
  if (error instanceof SettingsError) return { lines: error.problems, exitCode: EXIT.usage };
  return { lines: [inOneLine(error)], exitCode: exitCodeOf(error) };
}

/** What happened, the request id, and what to do. */
export function inOneLine(error: unknown): string {
  if (!(error instanceof DbdepotError)) {
    const { message, code } = error as NodeJS.ErrnoException;
    return sanitize(message || code || String(error));
  }
  const { message, requestId, kind } = error;
  const advice = ADVICE[kind];
  return sanitize(`${message}${requestId ? `, request ${requestId}` : ""}${advice ? `: ${advice}` : ""}`);
}
