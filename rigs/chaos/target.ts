import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Readiness } from "@dbdepot/contract/shared/health";
import { freePort } from "../harness/free-port.ts";
import { childrenOf, kill, killGroup } from "../harness/processes.ts";

const COMMAND = resolve(import.meta.dirname, "../../packages/server/bin/dbdepot-server.js");
const POLL_MS = 5;
const READY_TIMEOUT_MS = 120_000;

export interface TargetTerms {
  dataDir: string;
  databaseUrl: string | undefined;
  processes: number;
  /** The service joins a control group by writing its process id to this file. */
  memoryGroupFile?: string;
}

/** The processes to kill: one worker, the supervisor alone, or all at once as in a power failure. */
export type Victim = "worker" | "supervisor" | "all";

/** `dbdepot-server serve`, which is killed and started again on the same ports and data. */
export class Target implements AsyncDisposable {
  readonly origin: string;
  readonly #processes: number;
  readonly #command: string[];
  readonly #env: Record<string, string>;
  readonly #log: number;
  #child: ChildProcess | undefined;

  private constructor(port: number, objectsPort: number, terms: TargetTerms) {
    const { dataDir, databaseUrl, processes, memoryGroupFile } = terms;
    this.origin = `http://127.0.0.1:${port}`;
    this.#processes = processes;
    const launcher = memoryGroupFile ? ["sh", "-c", 'echo $$ > "$0" && exec "$@"', memoryGroupFile] : [];
    this.#command = [...launcher, COMMAND, "serve"];
    this.#log = openSync(join(dataDir, "serve.log"), "a");
    this.#env = {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      DBDEPOT_DATA_DIR: dataDir,
      DBDEPOT_PORT: String(port),
      DBDEPOT_OBJECTS_PORT: String(objectsPort),
      DBDEPOT_METRICS_PORT: "off",
      DBDEPOT_RATE_LIMIT: "off",
      DBDEPOT_MAX_KEYS_PER_ORGANIZATION: "1000000",
      DBDEPOT_WORKERS: String(processes),
      DBDEPOT_LOG_LEVEL: "warn",
      ...(databaseUrl && { DBDEPOT_DATABASE_URL: databaseUrl }),
    };
  }

  static async create(terms: TargetTerms): Promise<Target> {
    const target = new Target(await freePort(), await freePort(), terms);
    process.once("exit", () => target.#isRunning() && killGroup(target.pid, "SIGKILL"));
    return target;
  }

  /** The process id of the service, or of the supervisor if there are several processes. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the service if it is not running. Resolves when it is ready, with the time that took in milliseconds. */
  async start(): Promise<number> {
    const began = performance.now();
    if (!this.#isRunning()) {
      const [command, ...args] = this.#command as [string, ...string[]];
      this.#child = spawn(command, args, {
        env: this.#env,
        stdio: ["ignore", this.#log, this.#log],
        detached: true, // Starts a new process group, so that all processes can be killed at once.
      });
    }
    while (!(await this.#isReady())) {
      if (!this.#isRunning()) throw new Error("dbdepot-server exited instead of starting, see serve.log");
      if (performance.now() - began > READY_TIMEOUT_MS) throw new Error("dbdepot-server did not become ready");
      await delay(POLL_MS);
    }
    return performance.now() - began;
  }

  async kill(victim: Victim, pickWorker: (pids: readonly number[]) => number): Promise<void> {
    const child = this.#child as ChildProcess;
    const pid = child.pid as number;
    const workers = await childrenOf(pid);
    if (victim === "worker") {
      kill(pickWorker(workers), "SIGKILL");
      return;
    }
    const exited = once(child, "exit");
    (victim === "all" ? killGroup : kill)(pid, "SIGKILL");
    await exited;
    // Workers exit by themselves when their supervisor is gone.
    for (const worker of workers) while (await isAlive(worker)) await delay(POLL_MS);
  }

  /** Resolves when the supervisor has replaced the workers that died. */
  async isComplete(): Promise<void> {
    if (this.#processes === 1) return;
    while ((await childrenOf(this.pid)).length < this.#processes) await delay(50);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    if (!this.#isRunning()) return;
    const exited = once(this.#child as ChildProcess, "exit");
    this.#child?.kill("SIGTERM");
    await exited;
  }

  #isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.origin}/readyz`, { signal: AbortSignal.timeout(5000) });
      const { database } = (await response.json()) as Readiness;
      // During an outage the service stays ready for a while, because it can serve known keys.
      return response.status === 200 && database.state === "ok";
    } catch {
      return false;
    }
  }
}

/** A zombie counts as dead: in a container, nothing may collect processes whose parent was killed. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}
