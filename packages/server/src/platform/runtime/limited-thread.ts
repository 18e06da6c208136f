import { Worker } from "node:worker_threads";

export interface ThreadLimits {
  timeoutMs: number;
  memoryMb: number;
}

/** How long a thread may take to stop by itself. */
const ABORT_MS = 2000;

/**
 * Runs one piece of work on a thread of its own, and returns the message that the thread posts. `exceeded` names the limit that the work
 * exceeded. Fails with the signal's reason if it is aborted. The thread gets the message `abort` when it should stop.
 */
export async function runInThread<Result>(
  script: URL,
  work: unknown,
  { timeoutMs, memoryMb }: ThreadLimits,
  signal: AbortSignal,
): Promise<Result | { exceeded: string }> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Result | { exceeded: string }>();
  const worker = new Worker(script, { workerData: work, resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
  const timer = setTimeout(() => resolve({ exceeded: `${Math.round(timeoutMs / 1000)} s` }), timeoutMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  worker.on("message", resolve);
  worker.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") resolve({ exceeded: `${memoryMb} MB of memory` });
    else reject(error);
  });
  worker.on("exit", () => reject(new Error("the thread has ended unexpectedly")));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    await end(worker);
  }
}

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
