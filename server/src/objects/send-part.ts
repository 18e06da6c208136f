import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { DirectConnection } from "./sendfile.ts";
import type { ByteRange } from "./store.ts";

/** Of a piece, where the kernel sends most of the rest. */
const SHORT_BYTES = 4 * 1024;
/** Of a piece, where it does not: each is a trip to another thread and back. */
const LONG_BYTES = 256 * 1024;

/**
 * Writes part of a file to a response whose head has been given, with its Content-Length. The kernel sends as much as the
 * connection takes at once. Between, a piece is written by way of the response, which tells when there is room again and
 * whether the client is still there. Where the kernel cannot send a file, all of it goes in such pieces.
 */
export async function sendPart(
  handle: FileHandle,
  { first, last }: ByteRange,
  response: ServerResponse,
): Promise<void> {
  let piece = Buffer.allocUnsafeSlow(Math.min(SHORT_BYTES, last - first + 1));
  let direct: DirectConnection | undefined;
  let tookNothing = 0;
  try {
    for (let position = first; position <= last; ) {
      const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, last - position + 1), position);
      if (bytesRead === 0) throw new Error("the file became shorter while it was sent");
      await write(response, piece.subarray(0, bytesRead));
      position += bytesRead;
      const left = last - position + 1;
      if (left === 0) break;
      // Only now: the head is out, and no earlier answer has the connection any more.
      direct ??= await DirectConnection.open(response.socket);
      const sent = (await direct?.send(handle, position, left)) ?? 0;
      position += sent;
      tookNothing = sent === 0 ? tookNothing + 1 : 0;
      // Once, and the connection was full. But the piece after that has waited for room: it cannot, or not from this file.
      if (tookNothing > 1 && piece.length < LONG_BYTES) piece = Buffer.allocUnsafeSlow(Math.min(LONG_BYTES, left));
    }
  } finally {
    await direct?.close();
  }
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
