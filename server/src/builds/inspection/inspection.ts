import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Format } from "@dbdepot/contract/formats";
import type { Inspected } from "./findings.ts";
import type { FromThread, ThreadTask, ToThread } from "./inspection-thread.ts";
import { type InspectorName, Inspectors, type Results } from "./inspectors.ts";

/** Pieces on their way to the threads. With a few of them, threads of different speed seldom wait for each other. */
const SLOT_BYTES = 1024 * 1024;
const SLOTS = 4;
/** Little room for young objects: else tens of MB of text that was looked at wait to be collected. */
const resourceLimits = { maxYoungGenerationSizeMb: 1 };

/**
 * Who looks at a file, thread by thread, so that two cores have the same to do. Of the
 * digests sha512 is the slowest, then md5; the other two are done by the processor itself
 * on most machines. All four together take as long as the rows of a CSV do, whose unpacking
 * has a thread of Node's pool besides.
 */
const THREADS: Record<Format, InspectorName[][]> = {
  csvgz: [["sha512", "sha1", "md5", "sha256"], ["csvgz"]],
  mmdb: [
    ["sha512", "sha1"],
    ["md5", "sha256", "mmdb"],
  ],
};

/**
 * Looks at one file as it goes by, on several threads and in constant memory: each piece
 * is copied once, to memory that all threads share, and its place is used again when
 * the last of them is done with it.
 */
export class Inspection implements AsyncDisposable {
  readonly #format: Format;
  readonly #slots = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(SLOT_BYTES));
  readonly #free = [...this.#slots.keys()];
  /** How many threads are not yet done with the slot. */
  readonly #readers = this.#slots.map(() => 0);
  readonly #threads: Worker[] = [];
  readonly #results: Partial<Results>[] = [];
  #filling: { slot: number; lengthBytes: number } | undefined;
  /** Whoever waits for a free slot, or for the end. */
  #waiting: PromiseWithResolvers<void> | undefined;
  #failure: Error | undefined;
  #sizeBytes = 0;

  constructor(format: Format) {
    this.#format = format;
  }

  /** Resolves when there is room for more. The bytes are copied: they stay the caller's. */
  async take(bytes: Uint8Array): Promise<void> {
    this.#sizeBytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      this.#filling ??= { slot: await this.#freeSlot(), lengthBytes: 0 };
      const { slot, lengthBytes } = this.#filling;
      const piece = bytes.subarray(at, at + SLOT_BYTES - lengthBytes);
      new Uint8Array(this.#slots[slot] as SharedArrayBuffer).set(piece, lengthBytes);
      at += piece.length;
      this.#filling.lengthBytes += piece.length;
      if (this.#filling.lengthBytes === SLOT_BYTES) this.#handOut();
    }
  }

  /** What was found, once all are through. */
  async end(): Promise<Inspected> {
    if (this.#threads.length === 0) {
      await this.#lookHere();
    } else {
      this.#handOut();
      this.#tell("end");
      while (this.#results.length < this.#threads.length) await this.#wait();
    }
    const { md5, sha1, sha256, sha512, [this.#format]: findings } = Object.assign({}, ...this.#results) as Results;
    return { sizeBytes: this.#sizeBytes, checksums: { md5, sha1, sha256, sha512 }, findings };
  }

  /** Ends the threads, wherever they are. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  /** A file that fits into one slot is looked at sooner than a thread starts. */
  async #lookHere(): Promise<void> {
    const bytes = Buffer.from(this.#slots[0] as SharedArrayBuffer, 0, this.#sizeBytes);
    const inspectors = new Inspectors(THREADS[this.#format].flat());
    await inspectors.take(bytes);
    this.#results.push(await inspectors.end());
  }

  #start(names: InspectorName[]): Worker {
    const workerData: ThreadTask = { slots: this.#slots, names };
    const thread = new Worker(new URL(`./inspection-thread${extname(import.meta.url)}`, import.meta.url), {
      workerData,
      resourceLimits,
    });
    thread.on("message", (message: FromThread) => {
      if ("results" in message) this.#results.push(message.results);
      else this.#release(message.doneWith);
      this.#waiting?.resolve();
    });
    thread.on("error", (error: Error) => this.#fail(error));
    thread.on("exit", () => this.#fail(new Error("the inspection was broken off")));
    return thread;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(error);
  }

  #handOut(): void {
    if (!this.#filling) return;
    if (this.#threads.length === 0) for (const names of THREADS[this.#format]) this.#threads.push(this.#start(names));
    this.#readers[this.#filling.slot] = this.#threads.length;
    this.#tell(this.#filling);
    this.#filling = undefined;
  }

  #tell(message: ToThread): void {
    for (const thread of this.#threads) thread.postMessage(message);
  }

  #release(slot: number): void {
    const readers = (this.#readers[slot] ?? 0) - 1;
    this.#readers[slot] = readers;
    if (readers === 0) this.#free.push(slot);
  }

  async #freeSlot(): Promise<number> {
    let slot = this.#free.shift();
    while (slot === undefined) {
      await this.#wait();
      slot = this.#free.shift();
    }
    return slot;
  }

  /** Until something has happened; a thread that failed is told of here. */
  async #wait(): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#waiting = Promise.withResolvers();
    await this.#waiting.promise;
  }
}
