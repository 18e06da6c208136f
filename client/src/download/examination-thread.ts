/** Looks at the pieces of one file that the other thread puts into shared memory, and answers each message in turn. */
import { parentPort, workerData } from "node:worker_threads";
import type { Format } from "../wire.ts";
import { Examiner, type Findings } from "./examiner.ts";

export interface ThreadTask {
  slots: SharedArrayBuffer[];
  format: Format;
}
export type ToThread = { slot: number; lengthBytes: number } | "sha256" | "end";
export type FromThread = undefined | string | Findings;

const { slots, format } = workerData as ThreadTask;
const examiner = new Examiner(format);
let before: Promise<void> = Promise.resolve();

parentPort?.on("message", (message: ToThread) => {
  before = before.then(async () => parentPort?.postMessage(await answer(message)));
});

async function answer(message: ToThread): Promise<FromThread> {
  if (message === "end") return examiner.end();
  if (message === "sha256") return examiner.sha256SoFar();
  await examiner.take(Buffer.from(slots[message.slot] as SharedArrayBuffer, 0, message.lengthBytes));
  return undefined;
}
