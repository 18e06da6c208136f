import { DbdepotError, systemCode } from "../errors.ts";

const MEANINGS: Record<string, string> = {
  EACCES: "permission denied",
  EEXIST: "already exists",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file is too large for this file system",
  EISDIR: "is a directory",
  ENOENT: "the directory does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of the path is not a directory",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
};

/** Turns a file system error into a DbdepotError. Other errors are returned unchanged. */
export function diskError(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (error instanceof DbdepotError || code === null || !/^E[A-Z0-9]+$/.test(code)) return error;
  const meaning = MEANINGS[code];
  return new DbdepotError("disk", `${path}: ${meaning ? `${meaning} (${code})` : code}`, { code });
}

/** Returns advice for a file system error, or undefined if none applies. */
export function diskAdvice(code: string | null | undefined): string | undefined {
  if (code === "ENOSPC" || code === "EDQUOT") return "free some space, or choose another directory";
  if (code === "EACCES" || code === "EPERM") {
    const user = process.getuid ? ` (uid ${process.getuid()})` : "";
    return `make the directory writable for the user who runs this${user}, or choose another directory`;
  }
  return code === "EROFS" ? "choose another directory" : undefined;
}
