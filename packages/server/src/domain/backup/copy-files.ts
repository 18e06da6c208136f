import { createHash } from "node:crypto";
import { NoSuchObject, type ObjectStore } from "../builds/object-store.ts";
import type { DumpedFile } from "./store.ts";

export interface FileCopy {
  /** Undefined: every file must be in `to` already. */
  from: ObjectStore | undefined;
  to: ObjectStore;
  signal: AbortSignal;
  onBytes(count: number): void;
}

/**
 * Copies files that `to` lacks, and verifies the digest of every file, including those it already has. Returns a problem
 * by object key for each missing or damaged file.
 */
export async function copyFiles(files: readonly DumpedFile[], copy: FileCopy): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  for (const file of files) {
    try {
      await copyFile(file, copy);
    } catch (error) {
      if (!(error instanceof NoSuchObject || error instanceof DamagedFile)) throw error;
      problems.set(file.objectKey, error.message);
    }
  }
  return problems;
}

async function copyFile(file: DumpedFile, copy: FileCopy): Promise<void> {
  if (await copy.to.stat(file.objectKey)) {
    for await (const _ of verified(copy.to, file, copy));
    return;
  }
  if (!copy.from) throw new NoSuchObject(file.objectKey);
  await copy.to.put(file.objectKey, verified(copy.from, file, copy));
}

/** The bytes of a file. Fails at the end if they are not those that were published, so that `put` does not store them. */
async function* verified(store: ObjectStore, file: DumpedFile, { signal, onBytes }: FileCopy) {
  const hash = createHash("sha256");
  for await (const bytes of await store.read(file.objectKey)) {
    signal.throwIfAborted();
    hash.update(bytes);
    yield bytes as Uint8Array;
    onBytes(bytes.length);
  }
  const digest = hash.digest("hex");
  if (digest !== file.sha256) throw new DamagedFile(file, digest);
}

class DamagedFile extends Error {
  constructor({ objectKey, sha256 }: DumpedFile, digest: string) {
    super(`object "${objectKey}" is damaged: its SHA-256 is ${digest}, the published file's is ${sha256}`);
  }
}
