/** Compares two csv.gz files on a thread of its own. It asks for their bytes, so the files may be stored anywhere. */
import { pipeline, Readable } from "node:stream";
import { parentPort, workerData } from "node:worker_threads";
import { createGunzip } from "node:zlib";
import { compareTables, type Strategy } from "@dbdepot/formats/changes/compare";
import { ChangeCounter } from "@dbdepot/formats/changes/summary";
import type { Outcome } from "./outcome.ts";
import { RowWriter } from "./row-writer.ts";

export interface Task {
  /** The columns that identify a row (default: the first one). */
  key: string[];
  /** Writes the rows that differ instead of counting them. */
  rows?: Strategy;
}

export type Side = "before" | "after";
export type ToWorker = { input: number; chunk: Uint8Array | null } | "written" | "cancel";
export type FromWorker =
  | { open: number; side: Side }
  | { pull: number }
  | { close: number }
  | { rows: Uint8Array }
  | { outcome: Outcome };

class Cancelled extends Error {}

const CHUNK_BYTES = 64 * 1024;

const task = workerData as Task;
const writer = new RowWriter();
const pulls = new Map<number, PromiseWithResolvers<Uint8Array | null>>();
let writing: PromiseWithResolvers<void> | undefined;
let flushed: Promise<void> = Promise.resolve();
let isCancelled = false;
let inputs = 0;

parentPort?.on("message", (message: ToWorker) => {
  if (message === "written") writing?.resolve();
  else if (message === "cancel") {
    isCancelled = true;
    for (const pull of pulls.values()) pull.reject(new Cancelled());
    writing?.reject(new Cancelled());
  } else pulls.get(message.input)?.resolve(message.chunk);
});

try {
  post({ outcome: await run() });
} catch (error) {
  if (!isCancelled) throw error;
} finally {
  parentPort?.close();
}

async function run(): Promise<Outcome> {
  let counter = new ChangeCounter([]);
  const keyOf = (header: readonly string[]) => {
    const found = task.key.map((name) => header.indexOf(name)).filter((index) => index !== -1);
    return found.length > 0 ? found : [0];
  };
  const compared = await compareTables({
    open: text,
    keyOf,
    createSink(header) {
      counter = new ChangeCounter(header);
      if (!task.rows) return counter;
      return writer.start(header, task.rows.wholeRows ? [...header.keys()] : keyOf(header));
    },
    strategy: task.rows,
  });
  await flush();
  if ("reason" in compared) return { state: "not_compared", reason: compared.reason };
  return { state: "compared", ...compared, changes: counter.result };
}

/** Flushes one after the other, because each waits for the answers to its own messages. */
function flush(): Promise<void> {
  flushed = flushed.then(writeRows);
  return flushed;
}

async function writeRows(): Promise<void> {
  for (let rows = writer.take(); rows; rows = writer.take()) {
    if (isCancelled) throw new Cancelled();
    writing = Promise.withResolvers();
    post({ rows });
    await writing.promise;
  }
}

/** Rows are written before more of a table is read, so that they don't pile up if the reader is slow. */
async function* text(side: Side): AsyncGenerator<Buffer> {
  // Errors of the source destroy the decompressor, whose reader gets them.
  const chunks = pipeline(Readable.from(compressed(side)), createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    await flush();
    yield chunk;
  }
}

async function* compressed(side: Side): AsyncGenerator<Uint8Array> {
  const input = inputs++;
  post({ open: input, side });
  try {
    for (let chunk = await pull(input); chunk; chunk = await pull(input)) yield chunk;
  } finally {
    post({ close: input });
  }
}

async function pull(input: number): Promise<Uint8Array | null> {
  if (isCancelled) throw new Cancelled();
  const answer = Promise.withResolvers<Uint8Array | null>();
  pulls.set(input, answer);
  post({ pull: input });
  try {
    return await answer.promise;
  } finally {
    pulls.delete(input);
  }
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}
