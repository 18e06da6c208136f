import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";

export class ClientDisconnected extends Error {
  constructor() {
    super("the client disconnected before the end of the transfer");
    this.name = "ClientDisconnected";
  }
}

interface SendOptions {
  onSent?: ((bytes: number) => void) | undefined;
  /** How long the client may take to receive a chunk (default: until the connection is closed). */
  chunkTimeoutMs?: number | undefined;
}

/**
 * Sends a stream of `lengthBytes` as the body of a response whose headers are set. If it fails, it closes the connection: only that
 * tells the client that the body is incomplete. Unlike `pipeline` it frees each chunk as soon as it is sent; the garbage
 * collector would let hundreds of megabytes accumulate. The last chunk is sent together with the end, because a client that
 * closes the connection after the last byte must not count as disconnected.
 */
export async function sendStream(
  stream: Readable,
  response: ServerResponse,
  lengthBytes: number,
  { onSent = () => {}, chunkTimeoutMs }: SendOptions = {},
): Promise<void> {
  const onClose = () => stream.destroy(new ClientDisconnected());
  response.once("close", onClose);
  try {
    if (response.destroyed) throw new ClientDisconnected();
    let sentBytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const { length } = chunk;
      const isLast = sentBytes + length === lengthBytes;
      const timer = chunkTimeoutMs && setTimeout(() => response.destroy(), chunkTimeoutMs);
      try {
        await written(response, (done) => (isLast ? response.end(chunk, done) : response.write(chunk, done)));
      } finally {
        clearTimeout(timer);
      }
      sentBytes += length;
      onSent(length);
      free(chunk);
    }
    if (!response.writableEnded) response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    response.off("close", onClose);
    stream.destroy();
  }
}

type Done = (error?: Error | null) => void;

/** Resolves when the operating system has accepted the data. A connection that closes first may never call back. */
function written(response: ServerResponse, write: (done: Done) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new ClientDisconnected());
    response.once("close", onClose);
    write((error) => {
      response.off("close", onClose);
      if (error) reject(new ClientDisconnected());
      else resolve();
    });
  });
}

/** Frees the memory of a buffer, unless another buffer shares it. */
export function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
