import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { PatchError } from "./patch-error.ts";

const CHUNK_BYTES = 1 << 16;

/** Yields the content of a file. Its buffers are no larger than the file, unlike those of a read stream. */
export async function* readChunks(path: string, signal: AbortSignal | undefined, start = 0): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    for (let at = start; at < size; ) {
      signal?.throwIfAborted();
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Fills a buffer from a position of a file. */
export function readRange(descriptor: number, at: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const bytesRead = readSync(descriptor, bytes, done, bytes.length - done, at + done);
    if (bytesRead === 0) throw new PatchError("unsupported", "a file became shorter while it was read");
    done += bytesRead;
  }
}

export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of readChunks(path, signal)) hash.update(chunk);
  return hash.digest("hex");
}

/** Creates a file, which must not exist, and syncs it. If anything fails, the file is removed again. */
export async function writeNewFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "wx");
  try {
    try {
      for await (const chunk of chunks) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
