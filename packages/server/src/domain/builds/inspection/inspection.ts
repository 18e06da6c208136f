import type { Worker } from "node:worker_threads";
import type { Format } from "@dbdepot/contract/shared/formats";
import { BuildRefused } from "../refusal.ts";
import { returnWorker, takeWorker } from "./idle-worker.ts";
import type { FromWorker, ToWorker } from "./inspection-worker.ts";
import type { InspectedFile } from "./report.ts";

const BUFFER_BYTES = 1024 * 1024;
const BUFFERS = 4;

/** Only a file made to exhaust the server exceeds these. */
const LIMITS = {
  /** The time limit for each MiB of the file. Real files take a fraction of a second. */
  chunkTimeoutMs: 30_000,
  workerMemoryMb: 128,
};

/**
 * Computes the digests of a file and checks its format while it is uploaded, in constant memory. The work is done on a
 * worker thread, because a hostile file must not block the server. Chunks are copied into a few shared buffers, which
 * are reused when the worker is done with them. A worker that delivered a result inspects the next file.
 */
export class Inspection implements AsyncDisposable {
  readonly #format: Format;
  readonly #limits: typeof LIMITS;
  readonly #buffers = Array.from({ length: BUFFERS }, () => new SharedArrayBuffer(BUFFER_BYTES));
  readonly #free = [...this.#buffers.keys()];
  readonly #worker: Worker;
  /** Resolves when the worker has opened the file, or has ended. */
  readonly #opened = Promise.withResolvers<void>();
  #filling: { buffer: number; lengthBytes: number } | undefined;
  /** The number of messages that the worker has not acknowledged yet. */
  #pending = 0;
  #timeout: NodeJS.Timeout | undefined;
  /** Settles when the worker responds or fails. */
  #answer: PromiseWithResolvers<void> | undefined;
  #failure: Error | undefined;
  #sizeBytes = 0;
  #result: Omit<InspectedFile, "sizeBytes"> | undefined;

  constructor(format: Format, limits: Partial<typeof LIMITS> = {}) {
    this.#format = format;
    this.#limits = { ...LIMITS, ...limits };
    this.#worker = this.#startWorker();
  }

  /** Resolves when there is room for more. The bytes are copied. Throws BuildRefused if the file exceeds the limits. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#sizeBytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      this.#filling ??= { buffer: await this.#freeBuffer(), lengthBytes: 0 };
      const { buffer, lengthBytes } = this.#filling;
      const part = bytes.subarray(at, at + BUFFER_BYTES - lengthBytes);
      new Uint8Array(this.#buffers[buffer] as SharedArrayBuffer).set(part, lengthBytes);
      at += part.length;
      this.#filling.lengthBytes += part.length;
      if (this.#filling.lengthBytes === BUFFER_BYTES) this.#flush();
    }
  }

  /** Throws BuildRefused if the file exceeds the limits. */
  async end(): Promise<InspectedFile> {
    this.#flush();
    this.#post("end");
    while (this.#result === undefined) await this.#nextAnswer();
    return { sizeBytes: this.#sizeBytes, ...this.#result };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timeout);
    if (this.#result && !this.#failure) await returnWorker(this.#worker);
    else {
      // Node.js aborts the whole process if a thread is terminated while it creates a decompressor.
      await this.#opened.promise;
      await this.#worker.terminate();
    }
  }

  #startWorker(): Worker {
    const worker = takeWorker(this.#limits.workerMemoryMb);
    worker.postMessage({ format: this.#format, buffers: this.#buffers } satisfies ToWorker);
    worker.on("message", (message: FromWorker) => {
      if ("opened" in message) return this.#opened.resolve();
      this.#pending -= 1;
      this.#restartTimeout();
      if ("result" in message) this.#result = message.result;
      else this.#free.push(message.doneWith);
      this.#answer?.resolve();
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      const isOutOfMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      this.#fail(isOutOfMemory ? this.#refusal(`more than ${this.#limits.workerMemoryMb} MB of memory`) : error);
    });
    worker.on("exit", () => {
      this.#opened.resolve();
      this.#fail(new Error("the inspection was aborted"));
    });
    return worker;
  }

  #flush(): void {
    if (this.#filling) this.#post(this.#filling);
    this.#filling = undefined;
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
    this.#pending += 1;
    this.#restartTimeout();
  }

  /** Runs only while the worker is busy, so a slow upload does not time out. */
  #restartTimeout(): void {
    clearTimeout(this.#timeout);
    if (this.#pending === 0) return;
    const { chunkTimeoutMs } = this.#limits;
    this.#timeout = setTimeout(() => {
      this.#fail(this.#refusal(`more than ${chunkTimeoutMs / 1000} s for 1 MiB`));
      void this.#worker.terminate();
    }, chunkTimeoutMs);
  }

  #refusal(excess: string): BuildRefused {
    return new BuildRefused("faulty", [`${this.#format}: refused because its inspection takes ${excess}`]);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#answer?.reject(error);
  }

  async #freeBuffer(): Promise<number> {
    let buffer = this.#free.shift();
    while (buffer === undefined) {
      await this.#nextAnswer();
      buffer = this.#free.shift();
    }
    return buffer;
  }

  async #nextAnswer(): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#answer = Promise.withResolvers();
    await this.#answer.promise;
  }
}
