import { DbdepotError, type ErrorKind } from "../errors.ts";

/** What the exit code of `dbdepot` tells. */
export const EXIT = { fine: 0, failed: 1, usage: 2, keyRefused: 3, notLicensed: 4 } as const;

export const EXIT_MEANINGS: Record<number, string> = {
  [EXIT.fine]: "all is well",
  [EXIT.failed]: "something failed, or is not well",
  [EXIT.usage]: "wrong usage or a wrong setting",
  [EXIT.keyRefused]: "the key was refused",
  [EXIT.notLicensed]: "there is no licence, or it has ended",
};

const BY_KIND: Partial<Record<ErrorKind, number>> = {
  unauthorized: EXIT.keyRefused,
  not_licensed: EXIT.notLicensed,
  licence_expired: EXIT.notLicensed,
};

export function exitCodeOf(error: unknown): number {
  return (error instanceof DbdepotError && BY_KIND[error.kind]) || EXIT.failed;
}

/** Of several that failed: a refused key stands behind all the others; a missing licence counts if nothing else is wrong. */
export function exitCodeOfAll(errors: readonly unknown[]): number {
  const codes = errors.map(exitCodeOf);
  if (codes.length === 0) return EXIT.fine;
  if (codes.includes(EXIT.keyRefused)) return EXIT.keyRefused;
  return codes.every((code) => code === EXIT.notLicensed) ? EXIT.notLicensed : EXIT.failed;
}
