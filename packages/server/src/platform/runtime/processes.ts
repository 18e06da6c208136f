import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Prevents a process that dies immediately from being restarted thousands of times. */
const RESTART_DELAY_MS = 1000;
/** The thousandths of all memory that Linux adds to what a process uses before it chooses one to kill. */
const KILL_FIRST = 100;

/** Resolves with the first SIGINT or SIGTERM. The second one ends the process immediately. */
export async function stopSignal(): Promise<NodeJS.Signals> {
  // systemd and Ctrl-C signal all processes, and the supervisor passes the signal on, so a worker gets it twice.
  if (cluster.isWorker) for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  const [signal] = await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  return signal;
}

/**
 * Runs this program in `count` processes on the same ports and replaces those that die. Resolves when all have stopped
 * after a signal.
 */
export async function superviseProcesses(
  count: number,
  on: { death(pid: number | undefined): void; stop(signal: NodeJS.Signals): void },
): Promise<void> {
  // Processes accept connections themselves. If the supervisor did, those on their way to a process that dies would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  let isStopping = false;
  const running = new Set<Worker>();
  const start = () => {
    const worker = cluster.fork();
    running.add(worker);
    offerToKernel(worker.process.pid);
    worker.once("exit", async () => {
      running.delete(worker);
      if (isStopping) return;
      on.death(worker.process.pid);
      await delay(RESTART_DELAY_MS);
      if (!isStopping) start();
    });
  };
  for (let i = 0; i < count; i += 1) start();
  on.stop(await stopSignal());
  isStopping = true;
  await Promise.all(
    [...running].map(async (worker) => {
      const ended = once(worker, "exit");
      worker.process.kill("SIGTERM");
      await ended;
    }),
  );
}

/** When memory runs out, Linux kills this process before the supervisor, which can replace it. */
async function offerToKernel(pid: number | undefined): Promise<void> {
  try {
    const own = Number(await readFile("/proc/self/oom_score_adj", "utf8"));
    await writeFile(`/proc/${pid}/oom_score_adj`, String(Math.min(own + KILL_FIRST, 1000)));
  } catch {
    // The system is not Linux, or the process has already died.
  }
}

/** Closes the channel to the supervisor, which would keep this process alive. */
export function leaveSupervisor(): void {
  if (cluster.isWorker) process.disconnect();
}

/** Whether a supervisor started this process. */
export function isSupervised(): boolean {
  return cluster.isWorker;
}
