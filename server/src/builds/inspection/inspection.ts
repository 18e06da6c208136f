import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Format } from "@dbdepot/contract/formats";
import { type CheckName, type CheckResults, Checks } from "./checks.ts";
import type { FromWorker, ToWorker, WorkerTask } from "./inspection-worker.ts";
import type { InspectedFile } from "./report.ts";

const BUFFER_BYTES = 1024 * 1024;
const BUFFERS = 4;
/** A small young generation, or tens of MB of parsed text wait to be collected. */
const resourceLimits = { maxYoungGenerationSizeMb: 1 };

/** The checks of each worker, split so that two cores have about the same to do. */
const WORKERS: Record<Format, CheckName[][]> = {
  csvgz: [["sha512", "sha1", "md5", "sha256"], ["csvgz"]],
  mmdb: [
    ["sha512", "sha1"],
    ["md5", "sha256", "mmdb"],
  ],
};

/**
 * Computes the digests of a file and checks its format while it is uploaded, on worker threads and in constant memory.
 * Each chunk is copied once, into a buffer that all workers share; the buffer is reused when the last worker is done.
 */
export class Inspection implements AsyncDisposable {
  readonly #format: Format;
  readonly #buffers = Array.from({ length: BUFFERS }, () => new SharedArrayBuffer(BUFFER_BYTES));
  readonly #free = [...this.#buffers.keys()];
  /** How many workers still read each buffer. */
  readonly #readers = this.#buffers.map(() => 0);
  readonly #workers: Worker[] = [];
  readonly #results: Partial<CheckResults>[] = [];
  #filling: { buffer: number; lengthBytes: number } | undefined;
  /** Settles when a worker reports. */
  #waiting: PromiseWithResolvers<void> | undefined;
  #failure: Error | undefined;
  #sizeBytes = 0;

  constructor(format: Format) {
    this.#format = format;
  }

  /** Resolves when there is room for more. The bytes are copied. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#sizeBytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      this.#filling ??= { buffer: await this.#freeBuffer(), lengthBytes: 0 };
      const { buffer, lengthBytes } = this.#filling;
      const part = bytes.subarray(at, at + BUFFER_BYTES - lengthBytes);
      new Uint8Array(this.#buffers[buffer] as SharedArrayBuffer).set(part, lengthBytes);
      at += part.length;
      this.#filling.lengthBytes += part.length;
      if (this.#filling.lengthBytes === BUFFER_BYTES) this.#dispatch();
    }
  }

  async end(): Promise<InspectedFile> {
    if (this.#workers.length === 0) {
      await this.#inspectHere();
    } else {
      this.#dispatch();
      this.#post("end");
      while (this.#results.length < this.#workers.length) await this.#nextReport();
    }
    const { md5, sha1, sha256, sha512, [this.#format]: report } = Object.assign({}, ...this.#results) as CheckResults;
    return { sizeBytes: this.#sizeBytes, checksums: { md5, sha1, sha256, sha512 }, report };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /** A file that fits into one buffer takes less time to inspect than a worker takes to start. */
  async #inspectHere(): Promise<void> {
    const bytes = Buffer.from(this.#buffers[0] as SharedArrayBuffer, 0, this.#sizeBytes);
    const checks = new Checks(WORKERS[this.#format].flat());
    await checks.write(bytes);
    this.#results.push(await checks.end());
  }

  #start(checks: CheckName[]): Worker {
    const workerData: WorkerTask = { buffers: this.#buffers, checks };
    const worker = new Worker(new URL(`./inspection-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      resourceLimits,
    });
    worker.on("message", (message: FromWorker) => {
      if ("results" in message) this.#results.push(message.results);
      else this.#release(message.doneWith);
      this.#waiting?.resolve();
    });
    worker.on("error", (error: Error) => this.#fail(error));
    worker.on("exit", () => this.#fail(new Error("the inspection was aborted")));
    return worker;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(error);
  }

  /** Hands the current buffer to the workers, which start with the first one. */
  #dispatch(): void {
    if (!this.#filling) return;
    if (this.#workers.length === 0) for (const checks of WORKERS[this.#format]) this.#workers.push(this.#start(checks));
    this.#readers[this.#filling.buffer] = this.#workers.length;
    this.#post(this.#filling);
    this.#filling = undefined;
  }

  #post(message: ToWorker): void {
    for (const worker of this.#workers) worker.postMessage(message);
  }

  #release(buffer: number): void {
    const readers = (this.#readers[buffer] ?? 0) - 1;
    this.#readers[buffer] = readers;
    if (readers === 0) this.#free.push(buffer);
  }

  async #freeBuffer(): Promise<number> {
    let buffer = this.#free.shift();
    while (buffer === undefined) {
      await this.#nextReport();
      buffer = this.#free.shift();
    }
    return buffer;
  }

  /** Waits until a worker reports. Throws if one has failed. */
  async #nextReport(): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#waiting = Promise.withResolvers();
    await this.#waiting.promise;
  }
}
