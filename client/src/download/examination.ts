import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type Deferred, deferred } from "../deferred.ts";
import type { Format } from "../wire.ts";
import type { FromThread, ThreadTask, ToThread } from "./examination-thread.ts";
import { Examiner, type Findings } from "./examiner.ts";

/** Looks at a file in memory that is shared with whoever brings the bytes. */
export interface Examination {
  /** Resolves when it is done with the slot. */
  take(slot: number, lengthBytes: number): Promise<void>;
  /** Of all that was taken. */
  sha256SoFar(): Promise<string>;
  end(): Promise<Findings>;
  close(): Promise<void>;
}

/** Smaller files are looked at sooner than a thread starts. */
const THREAD_FROM_BYTES = 4 * 1024 * 1024;
/** Little room for young objects: else tens of MB that were unpacked wait to be collected. */
const resourceLimits = { maxYoungGenerationSizeMb: 1 };

export function examine(slots: SharedArrayBuffer[], format: Format, sizeBytes: number | null): Examination {
  // As it is here, or as it was built.
  const url = new URL(`./examination-thread${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
  // Whoever bundles this library into a program of his own may leave the thread's file behind.
  const isThere = url.protocol === "file:" && existsSync(fileURLToPath(url));
  const isSmall = sizeBytes !== null && sizeBytes < THREAD_FROM_BYTES;
  return isSmall || !isThere ? new ExaminationHere(slots, format) : new ExaminationOnThread(url, { slots, format });
}

class ExaminationHere implements Examination {
  readonly #slots: Buffer[];
  readonly #examiner: Examiner;
  #before: Promise<void> = Promise.resolve();

  constructor(slots: SharedArrayBuffer[], format: Format) {
    this.#slots = slots.map((slot) => Buffer.from(slot));
    this.#examiner = new Examiner(format);
  }

  take(slot: number, lengthBytes: number): Promise<void> {
    this.#before = this.#before.then(() => this.#examiner.take((this.#slots[slot] as Buffer).subarray(0, lengthBytes)));
    return this.#before;
  }

  async sha256SoFar(): Promise<string> {
    await this.#before;
    return this.#examiner.sha256SoFar();
  }

  async end(): Promise<Findings> {
    await this.#before;
    return this.#examiner.end();
  }

  async close(): Promise<void> {}
}

/** The digest takes as long as the transfer on a fast line: so the two go side by side. */
class ExaminationOnThread implements Examination {
  readonly #thread: Worker;
  /** The thread answers in the order in which it is asked. */
  readonly #asked: Deferred<FromThread>[] = [];
  #failure: Error | undefined;

  constructor(url: URL, workerData: ThreadTask) {
    this.#thread = new Worker(url, { workerData, resourceLimits });
    this.#thread.on("message", (answer: FromThread) => this.#asked.shift()?.resolve(answer));
    this.#thread.on("error", (error: Error) => this.#fail(error));
    this.#thread.on("exit", () => this.#fail(new Error("the examination was broken off")));
  }

  async take(slot: number, lengthBytes: number): Promise<void> {
    await this.#ask({ slot, lengthBytes });
  }

  sha256SoFar(): Promise<string> {
    return this.#ask("sha256") as Promise<string>;
  }

  end(): Promise<Findings> {
    return this.#ask("end") as Promise<Findings>;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #ask(message: ToThread): Promise<FromThread> {
    if (this.#failure) return Promise.reject(this.#failure);
    const asked = deferred<FromThread>();
    this.#asked.push(asked);
    this.#thread.postMessage(message);
    return asked.promise;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const asked of this.#asked.splice(0)) asked.reject(this.#failure);
  }
}
