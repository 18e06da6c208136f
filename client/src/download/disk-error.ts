import { DbdepotError, systemCode } from "../errors.ts";

const MEANINGS: Record<string, string> = {
  EACCES: "it may not be written here",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "the file is too large for this disk",
  EISDIR: "there is a folder of that name",
  ENOENT: "the folder is not there",
  ENOSPC: "the disk is full",
  ENOTDIR: "what should be a folder is none",
  EPERM: "it may not be written here",
  EROFS: "the disk can only be read",
};

/** Whatever the file system refuses, in words. Errors of this library and bugs pass as they are. */
export function diskError(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (error instanceof DbdepotError || code === null || !/^E[A-Z0-9]+$/.test(code)) return error;
  const meaning = MEANINGS[code];
  return new DbdepotError("disk", `${path}: ${meaning ? `${meaning} (${code})` : code}`, { code });
}
