import { constants, copyFile, link, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isDate } from "../../api/incoming.ts";
import type { Format } from "../../api/wire.gen.ts";
import { extensionOf } from "../formats.ts";
import { statFile } from "./local-file.ts";

/** A copy of a file that is about to be replaced, such as `vpn_ip_v1.2026-11-01.mmdb` for `vpn_ip_v1.mmdb`. */
export interface OldCopy {
  path: string;
  /** Deletes the copy again, if the file was not replaced. */
  discard(): Promise<void>;
}

const COPIES_PER_DAY_MAX = 1000;

/** Hard-links or copies the file, which stays in place. Returns undefined if the file does not exist. */
export async function keepOldCopy(path: string, format: Format, date: string | null): Promise<OldCopy | undefined> {
  const live = await statFile(path);
  if (!live) return undefined;
  const { stem, extension } = splitName(path, format);
  // An earlier version may have written an invalid date to the status file.
  const day = isDate(date) ? date : new Date(live.modifiedMs).toISOString().slice(0, "YYYY-MM-DD".length);
  for (let count = 1; count < COPIES_PER_DAY_MAX; count += 1) {
    const copy = join(dirname(path), `${stem}.${day}${count > 1 ? `-${count}` : ""}${extension}`);
    const found = await statFile(copy);
    if (!found) {
      const isMade = await linkOrCopy(path, copy);
      if (isMade) return { path: copy, discard: () => rm(copy, { force: true }) };
      // Another sync has just created it: check it again.
      count -= 1;
      continue;
    }
    // Created by another sync, or left by one that was killed before it replaced the file.
    if (found.inode === live.inode) return { path: copy, discard: async () => {} };
  }
  throw new Error(`there are already ${COPIES_PER_DAY_MAX} copies of ${path} from ${day}`);
}

/** Deletes all but the newest `keep` copies. */
export async function deleteOldCopies(path: string, format: Format, keep: number): Promise<void> {
  const directory = dirname(path);
  const { stem, extension } = splitName(path, format);
  const isCopy = (name: string) =>
    name.startsWith(`${stem}.`) &&
    name.endsWith(extension) &&
    /^\d{4}-\d{2}-\d{2}(-\d+)?$/.test(name.slice(stem.length + 1, name.length - extension.length));
  const copies = (await readdir(directory)).filter(isCopy).map((name) => join(directory, name));
  const dated = await Promise.all(copies.map(async (copy) => ({ copy, at: (await statFile(copy))?.modifiedMs ?? 0 })));
  dated.sort((a, b) => b.at - a.at);
  for (const { copy } of dated.slice(keep)) await rm(copy, { force: true });
}

/** Returns false if the copy already exists. */
async function linkOrCopy(path: string, copy: string): Promise<boolean> {
  try {
    await link(path, copy);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    // Some file systems do not support hard links (FAT, some network shares).
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw error;
    const draft = `${copy}.part`;
    await copyFile(path, draft, constants.COPYFILE_FICLONE);
    await rename(draft, copy);
    return true;
  }
}

function splitName(path: string, format: Format): { stem: string; extension: string } {
  const name = basename(path);
  const usual = extensionOf(format);
  const extension = name.endsWith(usual) ? usual : (/\.[^.]+$/.exec(name)?.[0] ?? "");
  return { stem: name.slice(0, name.length - extension.length), extension };
}
