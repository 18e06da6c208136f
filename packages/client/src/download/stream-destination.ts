import type { Format } from "../api/wire.gen.ts";
import { abortedError, DbdepotError } from "../errors.ts";
import type { Destination } from "./destination.ts";
import type { NodeWritable } from "./options.ts";
import { Verifier } from "./verifier.ts";

interface Writer {
  write(bytes: Uint8Array): Promise<void>;
  release(): void;
}

/** Writes a file to the caller's stream. It cannot restart once bytes have been written. */
export class StreamDestination implements Destination {
  readonly resumedFromBytes = 0;
  readonly #writer: Writer;
  readonly #verifier: Verifier;
  #expectedSha256: string | undefined;
  #receivedBytes = 0;

  constructor(stream: WritableStream<Uint8Array> | NodeWritable, format: Format) {
    this.#writer = "getWriter" in stream ? webWriter(stream) : nodeWriter(stream);
    this.#verifier = new Verifier(format);
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  async begin(sha256: string): Promise<boolean> {
    if (this.#receivedBytes === 0) this.#expectedSha256 = sha256;
    return this.#expectedSha256 === sha256;
  }

  async restart(): Promise<boolean> {
    return this.#receivedBytes === 0;
  }

  async reserve(): Promise<void> {}

  async write(chunk: Uint8Array): Promise<void> {
    this.#receivedBytes += chunk.length;
    await this.#verifier.update(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    await this.#writer.write(chunk).catch(streamFailed);
  }

  async sha256(): Promise<string> {
    return this.#verifier.sha256();
  }

  faults(): Promise<string[]> {
    return this.#verifier.faults();
  }

  async commit(): Promise<void> {
    this.#writer.release();
  }

  async abandon(): Promise<void> {
    this.#writer.release();
  }
}

function webWriter(stream: WritableStream<Uint8Array>): Writer {
  const writer = stream.getWriter();
  return { write: (bytes) => writer.write(bytes), release: () => writer.releaseLock() };
}

function nodeWriter(stream: NodeWritable): Writer {
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stream.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  return { write, release: () => {} };
}

function streamFailed(error: unknown): never {
  if (error instanceof Error && error.name === "AbortError") throw abortedError();
  const { code = null } = (error ?? {}) as { code?: string | null };
  throw new DbdepotError("disk", `writing to the stream failed${code ? ` (${code})` : ""}`, { code });
}
