import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import type { ByteRange } from "./store.ts";

const BUFFER_BYTES = 256 * 1024;

/**
 * Writes part of a file to a response with two buffers that take turns: one is filled while the other is on its way.
 * A read stream makes a new buffer for each chunk, and some 80 MB of them pile up before they are collected; without
 * that a transfer is four times as fast, too (measured with 1 GiB). It takes a response, not any stream: a response is
 * done with a buffer when it calls back, while a transform may hold on to it.
 */
export async function sendPart(handle: FileHandle, { first, last }: ByteRange, response: ServerResponse) {
  const sizeBytes = Math.min(BUFFER_BYTES, last - first + 1);
  const buffers = [Buffer.allocUnsafeSlow(sizeBytes), Buffer.allocUnsafeSlow(sizeBytes)] as const;
  let written: Promise<void> = Promise.resolve();
  let turn: 0 | 1 = 0;
  for (let position = first; position <= last; ) {
    const buffer = buffers[turn];
    const { bytesRead } = await handle.read(buffer, 0, Math.min(sizeBytes, last - position + 1), position);
    await written;
    if (bytesRead === 0) throw new Error("the file became shorter while it was sent");
    written = write(response, buffer.subarray(0, bytesRead));
    // Awaited in the next round; should the read fail first, nobody does.
    written.catch(() => {});
    position += bytesRead;
    turn = turn === 0 ? 1 : 0;
  }
  await written;
}

/** Resolves when the system has taken the bytes over. A connection that closes first may never call back. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () =>
      reject(Object.assign(new Error("the client went away"), { code: "ERR_STREAM_PREMATURE_CLOSE" }));
    response.once("close", onClose);
    response.write(bytes, (error) => {
      response.off("close", onClose);
      if (error) onClose();
      else resolve();
    });
  });
}
