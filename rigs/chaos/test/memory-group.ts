import { execFile } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = "/sys/fs/cgroup";
const isVersion1 = existsSync(`${ROOT}/memory/memory.limit_in_bytes`);
const PARENT = isVersion1 ? `${ROOT}/memory` : ROOT;
const STEP_BYTES = 10_000_000;

/** Needs root, and the control groups of Linux. */
export function canLimitMemory(): boolean {
  try {
    accessSync(`${PARENT}/cgroup.procs`, constants.W_OK);
    return isVersion1 || readFileSync(`${PARENT}/cgroup.subtree_control`, "utf8").includes("memory");
  } catch {
    return false;
  }
}

/** A control group: processes that share a memory limit, as in a container. */
export class MemoryGroup implements Disposable {
  readonly #directory: string;
  /** Files in memory, which count towards the limit like the memory of a process. */
  readonly #ballast: string;

  constructor(limitBytes: number) {
    this.#directory = join(PARENT, `dbdepot-${process.pid}`);
    mkdirSync(this.#directory);
    writeFileSync(join(this.#directory, isVersion1 ? "memory.limit_in_bytes" : "memory.max"), String(limitBytes));
    this.#ballast = mkdtempSync("/dev/shm/dbdepot-");
  }

  /** A process that writes its id to this file joins the group. */
  get membersFile(): string {
    return join(this.#directory, "cgroup.procs");
  }

  /** How many processes the kernel has killed because the group was out of memory. */
  get kills(): number {
    const events = readFileSync(join(this.#directory, isVersion1 ? "memory.oom_control" : "memory.events"), "utf8");
    return Number(/^oom_kill (\d+)$/m.exec(events)?.[1]);
  }

  /** Fills the memory until the kernel kills a process of the service: the one that uses most. */
  async exhaust(): Promise<void> {
    // The kernel may kill more while the memory of the first is being freed. The score makes `head` one of them, rather
    // than a process that uses less than a third of the memory.
    const script = 'echo $$ > "$1" && echo 300 > /proc/self/oom_score_adj && exec head -c "$2" /dev/zero > "$3"';
    let ownKills = 0;
    for (let i = 0; this.kills === ownKills; i += 1) {
      const args = [this.membersFile, String(STEP_BYTES), join(this.#ballast, String(i))];
      await promisify(execFile)("sh", ["-c", script, "sh", ...args]).catch((error) => {
        if (error.signal !== "SIGKILL") throw error;
        ownKills += 1;
      });
    }
  }

  release(): void {
    rmSync(this.#ballast, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    this.release();
    rmdirSync(this.#directory);
  }
}
