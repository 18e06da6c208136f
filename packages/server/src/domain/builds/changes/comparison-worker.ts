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

const task = workerData as Task;
const pulls = new Map<number, PromiseWithResolvers<Uint8Array | null>>();
let writing: PromiseWithResolvers<void> | undefined;
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
  const writer = new RowWriter();
  const compared = await compareTables({
    open: (side) => text(side, () => flush(writer)),
    keyOf(header) {
      const found = task.key.map((name) => header.indexOf(name)).filter((index) => index !== -1);
      return found.length > 0 ? found : [0];
    },
    createSink(header) {
      counter = new ChangeCounter(header);
      return task.rows ? writer.start(header) : counter;
    },
    strategy: task.rows,
  });
  await flush(writer);
  if ("reason" in compared) return { state: "not_compared", reason: compared.reason };
  return { state: "compared", ...compared, changes: counter.result };
}

/** Writes rows before more is read, so that they don't pile up if the reader is slow. */
async function flush(writer: RowWriter): Promise<void> {
  const rows = writer.take();
  if (rows.length === 0) return;
  writing = Promise.withResolvers();
  post({ rows });
  await writing.promise;
}

function text(side: Side, beforeReading: () => Promise<void>): AsyncIterable<Buffer> {
  const input = inputs++;
  post({ open: input, side });
  async function* compressed() {
    try {
      for (;;) {
        await beforeReading();
        const chunk = await pull(input);
        if (chunk === null) return;
        yield chunk;
      }
    } finally {
      post({ close: input });
    }
  }
  // Errors of the source destroy the decompressor, whose reader gets them.
  return pipeline(Readable.from(compressed()), createGunzip(), () => {});
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
