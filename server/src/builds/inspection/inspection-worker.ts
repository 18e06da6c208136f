/** One worker thread of an inspection. It runs its checks on each chunk and reports when it is done with the chunk. */
import { parentPort, workerData } from "node:worker_threads";
import { type CheckName, type CheckResults, Checks } from "./checks.ts";

export interface WorkerTask {
  buffers: SharedArrayBuffer[];
  checks: CheckName[];
}

export type ToWorker = { buffer: number; lengthBytes: number } | "end";
export type FromWorker = { doneWith: number } | { results: Partial<CheckResults> };

const { buffers, checks: names } = workerData as WorkerTask;
const checks = new Checks(names);
let work = Promise.resolve();

parentPort?.on("message", (message: ToWorker) => {
  // Some checks are asynchronous, but chunks must be handled in order.
  work = work.then(async () => parentPort?.postMessage(await handle(message)));
});

async function handle(message: ToWorker): Promise<FromWorker> {
  if (message === "end") return { results: await checks.end() };
  const { buffer, lengthBytes } = message;
  await checks.write(Buffer.from(buffers[buffer] as SharedArrayBuffer, 0, lengthBytes));
  return { doneWith: buffer };
}
