import { createHash, randomBytes } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { copyFile, readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * Part files lie beside their target and belong to one process each; nobody else ever writes to them, so that nothing
 * needs a lock. The name tells everything: whose part of which content it is. A part of another process is only
 * copied, and only removed; should its owner be alive after all, that costs him a new start and nothing else.
 */

/** A process that is alive writes more often, or gives up. */
const ABANDONED_AFTER_MS = 60 * 60_000;
const HOST = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
/** Those of this process that are being written. */
const active = new Set<string>();

interface Part {
  path: string;
  content: string;
  isAbandoned: boolean;
  sizeBytes: number;
}

export function newPartPath(target: string, sha256: string): string {
  const owner = `${HOST}-${process.pid}-${randomBytes(4).toString("hex")}`;
  const path = join(dirname(target), `.${basename(target)}.${contentName(sha256)}.${owner}.part`);
  active.add(path);
  return path;
}

/** From now on it is nobody's: the next run may take it up. */
export function leavePart(path: string): void {
  active.delete(path);
}

export async function removePart(path: string): Promise<void> {
  leavePart(path);
  await rm(path, { force: true });
}

/** Copies the largest part of this content to a new one of ours, and says whether there was any. */
export async function adoptPart(target: string, sha256: string, to: string): Promise<boolean> {
  const candidates = (await partsOf(target))
    .filter(({ path, content, sizeBytes }) => path !== to && content === contentName(sha256) && sizeBytes > 0)
    .sort((one, other) => other.sizeBytes - one.sizeBytes);
  for (const { path } of candidates) {
    try {
      // Where the file system can, the copy takes no room and no time.
      await copyFile(path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
    } catch {
      // It went away meanwhile, or there is no room for two: a new start needs neither.
      await rm(to, { force: true });
    }
  }
  return false;
}

/** Removes what ended processes left of this target, whichever build it was. */
export async function sweepParts(target: string): Promise<void> {
  for (const { path, isAbandoned } of await partsOf(target)) if (isAbandoned) await rm(path, { force: true });
}

async function partsOf(target: string): Promise<Part[]> {
  const folder = dirname(target);
  const shape = new RegExp(
    `^\\.${escaped(basename(target))}\\.([0-9a-f]{32})\\.([0-9a-f]{8})-(\\d+)-[0-9a-f]{8}\\.part$`,
  );
  const parts: Part[] = [];
  for (const entry of (await readdir(folder, { withFileTypes: true })) as Dirent[]) {
    const [, content, host, pid] = shape.exec(entry.name) ?? [];
    if (content === undefined || !entry.isFile()) continue;
    const path = join(folder, entry.name);
    const found = await stat(path).catch(() => undefined);
    if (!found) continue;
    const isOld = Date.now() - found.mtimeMs > ABANDONED_AFTER_MS;
    const isAbandoned = !active.has(path) && (isOld || (host === HOST && !isRunning(Number(pid))));
    parts.push({ path, content, isAbandoned, sizeBytes: found.size });
  }
  return parts;
}

/** A part with our own number that is not in work is of a process before us: in a container all have the same. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function contentName(sha256: string): string {
  return sha256.slice(0, 32);
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
