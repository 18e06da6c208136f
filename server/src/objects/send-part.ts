import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { SharedBuffers } from "./shared-buffers.ts";
import type { ByteRange } from "./store.ts";

/**
 * A read is a trip to another thread and back, so pieces are large, and few transfers have one at a time: on two cores
 * 64 get 2.7 GB a second by these 6 MB, and 1.5 by 256 KiB for each.
 */
const large = new SharedBuffers({ bytes: 2 * 1024 * 1024, most: 3, patienceMs: 20 });
/** For what is short, and for clients who would keep a large one for long. */
const SMALL_BYTES = 64 * 1024;
/** How much a client has to take in a millisecond to be given large pieces. */
const FAST_BYTES_PER_MS = 20_000;

/**
 * Writes part of a file to a response, with buffers that are used again and again. A read stream makes a new one for
 * each chunk, and some 80 MB of them pile up before they are collected; without that a transfer is four times as fast,
 * too (measured with 1 GiB). It takes a response, not any stream: a response is done with a buffer when it calls back,
 * while a transform may hold on to it.
 */
export async function sendPart(
  handle: FileHandle,
  { first, last }: ByteRange,
  response: ServerResponse,
): Promise<void> {
  const client = new Client(response);
  let small: Buffer | undefined;
  let written: Promise<void> = Promise.resolve();
  for (let position = first; position <= last; ) {
    const left = last - position + 1;
    // The next piece is read while the client takes this one, as long as nobody else waits for a buffer.
    if (large.areAwaited) await written;
    const shared = left > SMALL_BYTES && client.isFast ? await large.take() : undefined;
    if (!shared) {
      await written;
      small ??= Buffer.allocUnsafeSlow(SMALL_BYTES);
    }
    const buffer = shared ?? (small as Buffer);
    const giveBack = () => shared && large.giveBack(shared);
    try {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, left), position);
      await written;
      if (bytesRead === 0) throw new Error("the file became shorter while it was sent");
      position += bytesRead;
      written = client.write(buffer.subarray(0, bytesRead)).finally(giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
    // Awaited later; should something else fail first, nobody does.
    written.catch(() => {});
  }
  await written;
}

/** Whoever a response goes to. */
class Client {
  readonly #response: ServerResponse;
  #takenBytes = 0;
  #takingMs = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** On the whole: the system takes a lot at once, and then nothing for long, if a client is slow. */
  get isFast(): boolean {
    return this.#takenBytes >= this.#takingMs * FAST_BYTES_PER_MS;
  }

  async write(bytes: Buffer): Promise<void> {
    const began = performance.now();
    await write(this.#response, bytes);
    this.#takenBytes += bytes.length;
    this.#takingMs += performance.now() - began;
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
