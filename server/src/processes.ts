import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** A process that dies at once would otherwise be started again thousands of times. */
const RESTART_DELAY_MS = 1000;

/** Resolves at the first SIGINT or SIGTERM. */
export async function stopSignal(): Promise<void> {
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
}

/**
 * Runs this same program `count` times over, on the same ports, and replaces what dies.
 * Resolves when all have stopped, after a signal.
 */
export async function superviseProcesses(count: number, onDeath: (pid: number | undefined) => void): Promise<void> {
  let isStopping = false;
  const running = new Set<Worker>();
  const start = () => {
    const worker = cluster.fork();
    running.add(worker);
    worker.once("exit", async () => {
      running.delete(worker);
      if (isStopping) return;
      onDeath(worker.process.pid);
      await delay(RESTART_DELAY_MS);
      if (!isStopping) start();
    });
  };
  for (let i = 0; i < count; i += 1) start();
  await stopSignal();
  isStopping = true;
  await Promise.all(
    [...running].map(async (worker) => {
      const ended = once(worker, "exit");
      worker.process.kill("SIGTERM");
      await ended;
    }),
  );
}

/** Lets go of the supervisor, whose line would keep this process alive. */
export function leaveSupervisor(): void {
  if (cluster.isWorker) process.disconnect();
}

/** Whether this is one of several processes that a supervisor started. */
export function isSupervised(): boolean {
  return cluster.isWorker;
}
