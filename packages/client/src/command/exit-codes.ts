import { DbdepotError, type ErrorKind } from "../errors.ts";

/** Exit codes of `dbdepot`. */
export const EXIT = { ok: 0, failed: 1, usage: 2, keyRefused: 3, notLicensed: 4, untrusted: 5 } as const;

export const EXIT_MEANINGS: Record<number, string> = {
  [EXIT.ok]: "success",
  [EXIT.failed]: "failure",
  [EXIT.usage]: "invalid usage or settings",
  [EXIT.keyRefused]: "the key was refused",
  [EXIT.notLicensed]: "no licence, or the licence has ended or its terms are not accepted",
  [EXIT.untrusted]: "a signature is missing or wrong, or nothing proves that a build is the newest one",
};

const BY_KIND: Partial<Record<ErrorKind, number>> = {
  unauthorized: EXIT.keyRefused,
  not_licensed: EXIT.notLicensed,
  licence_expired: EXIT.notLicensed,
  terms_not_accepted: EXIT.notLicensed,
  untrusted: EXIT.untrusted,
  stale: EXIT.untrusted,
};

export function exitCodeOf(error: unknown): number {
  return (error instanceof DbdepotError && BY_KIND[error.kind]) || EXIT.failed;
}

/**
 * A refused key takes precedence, because it causes the other errors. A bad signature comes next, because it needs
 * attention. A missing licence counts only if nothing else failed.
 */
export function exitCodeOfAll(errors: readonly unknown[]): number {
  const codes = errors.map(exitCodeOf);
  if (codes.length === 0) return EXIT.ok;
  if (codes.includes(EXIT.keyRefused)) return EXIT.keyRefused;
  if (codes.includes(EXIT.untrusted)) return EXIT.untrusted;
  return codes.every((code) => code === EXIT.notLicensed) ? EXIT.notLicensed : EXIT.failed;
}
