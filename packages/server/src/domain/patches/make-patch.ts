import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Format } from "@dbdepot/contract/shared/formats";

/** The files of one patch, all of them local. */
export interface PatchWork {
  format: Format;
  /** Null for a compressed copy. */
  basePath: string | null;
  resultPath: string;
  /** Where to write the patch, and where to write the file that applying it produces. */
  patchPath: string;
  checkPath: string;
  maxPatchBytes: number;
  resultBytes: number;
  resultSha256: string;
}

/** `dropped` says why the patch cannot be offered. */
export type FromPatchWorker = { sizeBytes: number; sha256: string } | { dropped: string };

export interface PatchLimits {
  timeoutMs: number;
  memoryMb: number;
}

export type MakePatch = (work: PatchWork, limits: PatchLimits, signal: AbortSignal) => Promise<FromPatchWorker>;

/** How long a thread may take to stop by itself. */
const ABORT_MS = 2000;

/** Makes a patch on a thread of its own, because it takes seconds of CPU. Drops what exceeds the limits. */
export const makePatchInThread: MakePatch = async (work, { timeoutMs, memoryMb }, signal) => {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<FromPatchWorker>();
  const worker = new Worker(new URL(`./patch-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const timer = setTimeout(
    () => resolve({ dropped: `making it takes more than ${Math.round(timeoutMs / 1000)} s` }),
    timeoutMs,
  );
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  worker.on("message", resolve);
  worker.on("error", (error: NodeJS.ErrnoException) => {
    const isOutOfMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    if (isOutOfMemory) resolve({ dropped: `making it takes more than ${memoryMb} MB of memory` });
    else reject(error);
  });
  worker.on("exit", () => reject(new Error("the thread that made a patch has ended unexpectedly")));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    await end(worker);
  }
};

/** Lets the thread close its files; one that is busy is terminated. */
async function end(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return;
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.removeAllListeners("error").on("error", () => {});
  worker.postMessage("abort");
  const timer = setTimeout(() => void worker.terminate(), ABORT_MS);
  await ended;
  clearTimeout(timer);
}
