import { on, once } from "node:events";
import { extname } from "node:path";
import { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { Strategy } from "@dbdepot/formats/changes/compare";
import type { Build } from "../build.ts";
import type { ObjectStore } from "../object-store.ts";
import type { FromWorker, Side, Task, ToWorker } from "./comparison-worker.ts";
import { keyColumnsOf } from "./key-columns.ts";
import type { Outcome } from "./outcome.ts";

/** Only unsorted files with hundreds of megabytes need more than a few. */
const WORKER_MEMORY_MB = 512;

export type Builds = Record<Side, Build>;
type Objects = Pick<ObjectStore, "read">;

/** Compares the csv.gz files of two builds. Fails if a file cannot be read, and with the signal's reason if it is aborted. */
export async function compareBuilds(objects: Objects, builds: Builds, signal?: AbortSignal): Promise<Outcome> {
  if (!builds.before.files.csvgz || !builds.after.files.csvgz) return notCompared("one of the builds has no csv.gz");
  const run = runTask(objects, builds, { key: keyColumnsOf(builds.after) }, signal);
  try {
    let step = await run.next();
    while (!step.done) step = await run.next();
    return step.value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
    return notCompared("comparing the builds takes too much memory");
  }
}

/**
 * The rows that differ, as CSV, as fast as they are read. The strategy comes from an earlier comparison. Destroying the stream
 * ends the comparison.
 */
export function changedRows(objects: Objects, builds: Builds, strategy: Strategy): Readable {
  const stop = new AbortController();
  const rows = runTask(objects, builds, { key: keyColumnsOf(builds.after), rows: strategy }, stop.signal);
  return new Readable({
    // Rows are compared only when they are asked for.
    highWaterMark: 0,
    read() {
      rows.next().then(
        ({ value, done }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    // Unlike `Readable.from`, this does not wait for the chunk that is being read.
    destroy(error, callback) {
      stop.abort();
      callback(error);
    },
  });
}

export function notCompared(reason: string): Outcome {
  return { state: "not_compared", reason };
}

/** Runs a worker thread and passes it the bytes it asks for. Yields the rows that it writes. */
async function* runTask(
  objects: Objects,
  builds: Builds,
  task: Task,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, Outcome> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL(`./comparison-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: task,
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: WORKER_MEMORY_MB },
  });
  const ended = once(worker, "exit").catch(() => {});
  const post = (message: ToWorker) => worker.postMessage(message);
  const inputs = new Inputs(objects, builds);
  const cancel = () => {
    // The worker ends by itself: Node.js aborts the process if a thread is terminated while it creates a decompressor.
    post("cancel");
    inputs.closeAll();
  };
  signal?.addEventListener("abort", cancel);
  let outcome: Outcome | undefined;
  try {
    for await (const [message] of on(worker, "message", { close: ["exit"] }) as AsyncIterable<[FromWorker]>) {
      signal?.throwIfAborted();
      if ("open" in message) inputs.open(message.open, message.side);
      else if ("pull" in message) post({ input: message.pull, chunk: await inputs.read(message.pull) });
      else if ("close" in message) inputs.close(message.close);
      else if ("outcome" in message) outcome = message.outcome;
      else {
        yield message.rows;
        post("written");
      }
    }
    signal?.throwIfAborted();
    if (!outcome) throw new Error("the comparison ended without a result");
    return outcome;
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
    await ended;
  }
}

/** The files that a worker reads, by the numbers it gave them. */
class Inputs {
  readonly #objects: Objects;
  readonly #builds: Builds;
  readonly #open = new Map<number, { stream: Promise<Readable>; chunks: AsyncIterator<Buffer> }>();

  constructor(objects: Objects, builds: Builds) {
    this.#objects = objects;
    this.#builds = builds;
  }

  open(input: number, side: Side): void {
    const { objectKey } = this.#builds[side].files.csvgz ?? {};
    const stream = this.#objects.read(objectKey ?? "");
    // `read` fails with the same error.
    stream.catch(() => {});
    this.#open.set(input, { stream, chunks: chunksOf(stream) });
  }

  /** A copy of the next chunk, because the stream may reuse its memory; null at the end. */
  async read(input: number): Promise<Uint8Array | null> {
    const { value, done } = (await this.#open.get(input)?.chunks.next()) ?? { done: true };
    return done ? null : new Uint8Array(value);
  }

  /** Ends a read that is waiting for the storage, too. */
  close(input: number): void {
    this.#open
      .get(input)
      ?.stream.then((stream) => stream.destroy())
      .catch(() => {});
    this.#open.delete(input);
  }

  closeAll(): void {
    for (const input of [...this.#open.keys()]) this.close(input);
  }
}

async function* chunksOf(stream: Promise<Readable>): AsyncGenerator<Buffer> {
  yield* await stream;
}
