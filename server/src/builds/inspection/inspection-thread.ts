/** One thread of an inspection: it shows each piece of the file to its inspectors, and says when they are done with it. */
import { parentPort, workerData } from "node:worker_threads";
import { createInspector, type InspectorName, type Results } from "./inspectors.ts";

export interface ThreadTask {
  slots: SharedArrayBuffer[];
  inspectors: InspectorName[];
}

export type ToThread = { slot: number; lengthBytes: number } | "end";
export type FromThread = { doneWith: number } | { results: Partial<Results> };

const { slots, inspectors } = workerData as ThreadTask;
const team = inspectors.map((name) => ({ name, inspector: createInspector(name) }));
let work = Promise.resolve();

parentPort?.on("message", (message: ToThread) => {
  work = work.then(() => (message === "end" ? end() : take(message)));
});

async function take({ slot, lengthBytes }: Exclude<ToThread, "end">): Promise<void> {
  const bytes = Buffer.from(slots[slot] as SharedArrayBuffer, 0, lengthBytes);
  for (const { inspector } of team) await inspector.take(bytes);
  answer({ doneWith: slot });
}

async function end(): Promise<void> {
  const results: [InspectorName, unknown][] = [];
  for (const { name, inspector } of team) results.push([name, await inspector.end()]);
  answer({ results: Object.fromEntries(results) });
  parentPort?.close();
}

function answer(message: FromThread): void {
  parentPort?.postMessage(message);
}
