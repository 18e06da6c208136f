/** One thread of an inspection: it shows each piece of the file to its inspectors, and says when they are done with it. */
import { parentPort, workerData } from "node:worker_threads";
import { type InspectorName, Inspectors, type Results } from "./inspectors.ts";

export interface ThreadTask {
  slots: SharedArrayBuffer[];
  names: InspectorName[];
}

export type ToThread = { slot: number; lengthBytes: number } | "end";
export type FromThread = { doneWith: number } | { results: Partial<Results> };

const { slots, names } = workerData as ThreadTask;
const inspectors = new Inspectors(names);
let work = Promise.resolve();

parentPort?.on("message", (message: ToThread) => {
  // One after the other, though some of the work is asynchronous.
  work = work.then(async () => parentPort?.postMessage(await answer(message)));
});

async function answer(message: ToThread): Promise<FromThread> {
  if (message === "end") return { results: await inspectors.end() };
  const { slot, lengthBytes } = message;
  await inspectors.take(Buffer.from(slots[slot] as SharedArrayBuffer, 0, lengthBytes));
  return { doneWith: slot };
}
