import { createHash, randomBytes } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { copyFile, readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * A download is written to a part file next to its target. Only the process that created a part file writes to it, so no
 * lock is needed. The name contains the digest of the complete file, and the host and process that own the part. Other
 * processes may copy a part, or delete it once its owner seems to have exited. If the owner is still running, its
 * download starts over.
 */

/** Longer than any pause between two writes of a running download. */
const ABANDONED_AFTER_MS = 60 * 60_000;
const HOST = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
/** The part files that this process is writing. */
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

/** Marks a part as no longer in use, so that a later download can resume it. */
export function releasePart(path: string): void {
  active.delete(path);
}

export async function deletePart(path: string): Promise<void> {
  releasePart(path);
  await rm(path, { force: true });
}

/** Copies the largest existing part of this content to `to`. Returns whether there was one. */
export async function copyExistingPart(target: string, sha256: string, to: string): Promise<boolean> {
  const candidates = (await partsOf(target))
    .filter(({ path, content, sizeBytes }) => path !== to && content === contentName(sha256) && sizeBytes > 0)
    .sort((one, other) => other.sizeBytes - one.sizeBytes);
  for (const { path } of candidates) {
    try {
      // Copy-on-write where the file system supports it.
      await copyFile(path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return true;
    } catch {
      // The part was deleted, or the disk has no space for a copy. Try the next one, or start over.
      await rm(to, { force: true });
    }
  }
  return false;
}

/** Deletes the parts of this target whose processes have ended, whatever build they belong to. */
export async function deleteAbandonedParts(target: string): Promise<void> {
  for (const { path, isAbandoned } of await partsOf(target)) if (isAbandoned) await rm(path, { force: true });
}

async function partsOf(target: string): Promise<Part[]> {
  const directory = dirname(target);
  const pattern = new RegExp(
    `^\\.${escapeRegExp(basename(target))}\\.([0-9a-f]{32})\\.([0-9a-f]{8})-([1-9]\\d*)-[0-9a-f]{8}\\.part$`,
  );
  const parts: Part[] = [];
  for (const entry of (await readdir(directory, { withFileTypes: true })) as Dirent[]) {
    const [, content, host, pid] = pattern.exec(entry.name) ?? [];
    if (content === undefined || !entry.isFile()) continue;
    const path = join(directory, entry.name);
    const found = await stat(path).catch(() => undefined);
    if (!found) continue;
    const isOld = Date.now() - found.mtimeMs > ABANDONED_AFTER_MS;
    const isAbandoned = !active.has(path) && (isOld || (host === HOST && !isRunning(Number(pid))));
    parts.push({ path, content, isAbandoned, sizeBytes: found.size });
  }
  return parts;
}

/** An inactive part with our own pid is from an earlier process: in containers every process may be pid 1. */
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

function escapeRegExp(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
