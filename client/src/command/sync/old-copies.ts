import { constants, copyFile, link, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Format } from "../../wire.ts";
import { extensionOf } from "../formats.ts";
import { lookAt } from "./disk-file.ts";

/** A file that is about to be replaced, under a second name: `vpn_ip_v1.mmdb` as `vpn_ip_v1.2026-11-01.mmdb`. */
export interface OldCopy {
  path: string;
  /** To be called when the file was not replaced after all. */
  forget(): Promise<void>;
}

const MOST_OF_A_DAY = 1000;

/** The live name stays where it is: this only adds another. Undefined when there is nothing to keep. */
export async function keepOld(path: string, format: Format, day: string | null): Promise<OldCopy | undefined> {
  const live = await lookAt(path);
  if (!live) return undefined;
  const { stem, extension } = partsOf(path, format);
  const date = day ?? new Date(live.modifiedMs).toISOString().slice(0, "YYYY-MM-DD".length);
  for (let count = 1; count < MOST_OF_A_DAY; count += 1) {
    const copy = join(dirname(path), `${stem}.${date}${count > 1 ? `-${count}` : ""}${extension}`);
    const found = await lookAt(copy);
    if (!found) {
      await secondName(path, copy);
      return { path: copy, forget: () => rm(copy, { force: true }) };
    }
    // Left by a run that was cut off before it had replaced the file.
    if (found.inode === live.inode) return { path: copy, forget: async () => {} };
  }
  throw new Error(`there are ${MOST_OF_A_DAY} copies of ${path} from ${date} already`);
}

/** Removes all but the newest. */
export async function dropOlder(path: string, format: Format, keep: number): Promise<void> {
  const folder = dirname(path);
  const { stem, extension } = partsOf(path, format);
  const isCopy = (name: string) =>
    name.startsWith(`${stem}.`) &&
    name.endsWith(extension) &&
    /^\d{4}-\d{2}-\d{2}(-\d+)?$/.test(name.slice(stem.length + 1, name.length - extension.length));
  const copies = (await readdir(folder)).filter(isCopy).map((name) => join(folder, name));
  const dated = await Promise.all(copies.map(async (copy) => ({ copy, at: (await lookAt(copy))?.modifiedMs ?? 0 })));
  dated.sort((a, b) => b.at - a.at);
  for (const { copy } of dated.slice(keep)) await rm(copy, { force: true });
}

async function secondName(path: string, copy: string): Promise<void> {
  try {
    await link(path, copy);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Some file systems know no second names (FAT, some network shares).
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw error;
    const draft = `${copy}.part`;
    await copyFile(path, draft, constants.COPYFILE_FICLONE);
    await rename(draft, copy);
  }
}

function partsOf(path: string, format: Format): { stem: string; extension: string } {
  const name = basename(path);
  const usual = extensionOf(format);
  const extension = name.endsWith(usual) ? usual : (/\.[^.]+$/.exec(name)?.[0] ?? "");
  return { stem: name.slice(0, name.length - extension.length), extension };
}
