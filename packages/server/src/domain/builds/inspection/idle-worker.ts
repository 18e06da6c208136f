import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/** Long enough for the next file of a build to arrive. An idle thread occupies some megabytes. */
const IDLE_MS = 10_000;

let idle: { worker: Worker; timer: NodeJS.Timeout } | undefined;

/** Returns the idle worker thread, or starts one. Starting takes longer than the inspection of a small file. */
export function takeWorker(memoryMb: number): Worker {
  if (idle?.worker.resourceLimits?.maxOldGenerationSizeMb === memoryMb) {
    const { worker, timer } = idle;
    idle = undefined;
    clearTimeout(timer);
    removeListeners(worker);
    worker.ref();
    return worker;
  }
  return new Worker(new URL(`./inspection-worker${extname(import.meta.url)}`, import.meta.url), {
    // With a larger young generation, tens of MB of parsed text wait to be collected.
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: memoryMb },
  });
}

/** Keeps a worker that has finished its file for the next one, or ends it if another is idle already. */
export async function returnWorker(worker: Worker): Promise<void> {
  removeListeners(worker);
  if (idle) {
    await worker.terminate();
    return;
  }
  const forget = () => {
    if (idle?.worker === worker) idle = undefined;
  };
  worker.on("error", forget);
  worker.on("exit", forget);
  // Neither the thread nor the timer keeps the process alive.
  worker.unref();
  const timer = setTimeout(() => {
    forget();
    void worker.terminate();
  }, IDLE_MS).unref();
  idle = { worker, timer };
}

/** Removes listeners by name, because the worker itself relies on listeners of other events. */
function removeListeners(worker: Worker): void {
  for (const event of ["message", "error", "exit"]) worker.removeAllListeners(event);
}
