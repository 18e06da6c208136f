import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** Prevents a process that dies immediately from being restarted thousands of times. */
const RESTART_DELAY_MS = 1000;

/** Resolves at the first SIGINT or SIGTERM. The second one ends the process immediately. */
export async function stopSignal(): Promise<void> {
  // systemd and Ctrl-C signal all processes, and the supervisor passes the signal on, so a worker gets it twice.
  if (cluster.isWorker) for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
}

/**
 * Runs this program in `count` processes on the same ports and replaces those that die. Resolves when all have stopped
 * after a signal.
 */
export async function superviseProcesses(count: number, onDeath: (pid: number | undefined) => void): Promise<void> {
  // Processes accept connections themselves. If the supervisor did, those on their way to a process that dies would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
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

/** Closes the channel to the supervisor, which would keep this process alive. */
export function leaveSupervisor(): void {
  if (cluster.isWorker) process.disconnect();
}

/** Whether a supervisor started this process. */
export function isSupervised(): boolean {
  return cluster.isWorker;
}
