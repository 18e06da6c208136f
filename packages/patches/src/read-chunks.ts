import { open } from "node:fs/promises";

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
