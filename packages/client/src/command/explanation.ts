import { sanitize } from "@dbdepot/terminal/control-characters";
import type { Explanation } from "@dbdepot/terminal/program";
import { diskAdvice, diskError } from "../download/disk-error.ts";
import { DbdepotError, type ErrorKind } from "../errors.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { UnknownDatabaseError } from "./suggestion.ts";

/** One or more problems with the settings. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("; "));
    this.problems = problems;
  }
}

const RUN_DOCTOR = 'run "dbdepot doctor"';

const ADVICE: Partial<Record<ErrorKind, string>> = {
  network: RUN_DOCTOR,
  timeout: RUN_DOCTOR,
  unauthorized: '"dbdepot config" shows where the key comes from; check it and its scopes, or run "dbdepot login"',
  not_licensed: "ask your vendor for a licence",
  licence_expired: "ask your vendor to renew it",
  not_found: "check the service's URL: it must not contain a path such as /api",
  storage: RUN_DOCTOR,
  corrupt: "try again; if it happens again, report it to your vendor",
};

/** Takes precedence over the advice for the kind. */
const ADVICE_BY_CODE: Record<string, string> = {
  BUILD_GONE: "download the whole file, or compare with a newer build",
  BYTES_USED_UP: "ask your vendor for a higher limit",
  DOWNLOADS_USED_UP: "ask your vendor for a higher limit",
  INVALID_FORMAT: '"dbdepot list" shows the formats of every database',
  KEY_REVOKED: 'create a new one with "dbdepot keys create"',
  MIRROR_ADDRESS: "ask the administrator of the mirror for a token",
  MIRROR_TOKEN: "set DBDEPOT_CLIENT_FROM_TOKEN, or from_token in the config file",
  TOO_MANY_KEYS: 'revoke unused keys with "dbdepot keys revoke"',
  DELIVERIES_NOT_ALLOWED: "ask your vendor to allow it",
  TOO_MANY_DESTINATIONS: 'delete one with "dbdepot destinations delete"',
  WAY_NOT_AVAILABLE: '"dbdepot destinations setup" shows which ways there are',
  TOO_MANY_WEBHOOKS: 'delete one with "dbdepot webhooks delete"',
  UNKNOWN_BUILD: "download the current build instead",
  UNKNOWN_DATASET: '"dbdepot list" shows the ids',
  insufficient_scope: "use another key, or ask an administrator of your organization to add the scope",
};

/** The message and the exit code for an error. */
export function explain(error: unknown): Explanation {
  if (error instanceof SettingsError) return { lines: error.problems, exitCode: EXIT.usage };
  return { lines: [inOneLine(error)], exitCode: exitCodeOf(error) };
}

/** Describes the error, with the request id and advice. */
export function inOneLine(error: unknown): string {
  const advice = adviceFor(error);
  return advice === undefined ? describe(error) : `${describe(error)}: ${advice}`;
}

/** Describes the error, with the request id. */
export function describe(error: unknown): string {
  if (!(error instanceof DbdepotError)) {
    const { message, code, path } = error as NodeJS.ErrnoException;
    if (path !== undefined) return sanitize((diskError(path, error) as Error).message);
    return sanitize(message || code || String(error));
  }
  const { message, requestId } = error;
  return sanitize(`${message}${requestId ? `, request ${requestId}` : ""}`);
}

function adviceFor(error: unknown): string | undefined {
  if (!(error instanceof DbdepotError)) return diskAdvice((error as NodeJS.ErrnoException).code);
  const { kind, rc, authError, code } = error;
  if (kind === "disk") return diskAdvice(code);
  if (error instanceof UnknownDatabaseError) return `did you mean ${error.suggestion}? "dbdepot list" shows the ids`;
  return ADVICE_BY_CODE[authError ?? ""] ?? ADVICE_BY_CODE[rc ?? ""] ?? ADVICE[kind];
}

/** The advice, without the suggestion to run doctor. */
export function adviceInDoctor(error: unknown): string | null {
  const advice = adviceFor(error);
  return advice === undefined || advice === RUN_DOCTOR ? null : advice;
}
