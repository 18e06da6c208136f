import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const STOP_GRACE_MS = 15_000;
const MEMORY_LOOK_MS = 20;
const REST_LIMIT_MS = 60_000;
const REST_LOOK_MS = 500;
/** Of the system's ticks, of which there are a hundred in a second. */
const REST_TICKS = 5;

/** All that were started and have not ended. */
const running = new Set<ChildProcess>();
let isEnding = false;

/** This process's environment without settings that are meant for another dbdepot. */
export function cleanEnvironment(extra: Record<string, string> = {}): Record<string, string | undefined> {
  const isOthers = (name: string) => /^(DBDEPOT|AWS)_/.test(name) && name !== "DBDEPOT_LOG_LEVEL";
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOthers(name))), ...extra };
}

export interface Ended {
  stdout: string;
  seconds: number;
  /** Null where the system does not tell. */
  peakMemoryBytes: number | null;
}

export interface RunOptions extends SpawnOptions {
  input?: string;
  /** Exit codes that are no failure. */
  accepts?: readonly number[];
}

/** Runs a program to its end. Throws what it said on standard error if it fails. */
export async function run(
  command: string,
  args: readonly string[],
  { input = "", accepts = [0], ...options }: RunOptions = {},
): Promise<Ended> {
  const began = performance.now();
  const child = start(command, args, { stdio: "pipe", ...options });
  let peakMemoryBytes: number | null = null;
  const look = setInterval(() => {
    peakMemoryBytes = peakMemory(child.pid) ?? peakMemoryBytes;
  }, MEMORY_LOOK_MS);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  child.stdin?.on("error", () => {}); // It may end without having read everything.
  child.stdin?.end(input);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    const seconds = (performance.now() - began) / 1000;
    if (!accepts.includes(code ?? -1)) throw new Error(`${command} ${args.join(" ")} failed: ${texts.stderr.trim()}`);
    return { stdout: texts.stdout, seconds, peakMemoryBytes };
  } finally {
    clearInterval(look);
  }
}

/** Like `spawn`; what it starts is ended by `endAll` at the latest. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (isEnding) throw new Error("the run is ending");
  const child = spawn(command, args, options);
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Ends everything that runs, and lets nothing else begin. */
export async function endAll(): Promise<void> {
  isEnding = true;
  await Promise.all([...running].map(stop));
}

/** Asks it to end, and waits; insists after a while. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
  await ended;
  clearTimeout(timer);
}

/** The most memory that a process has had in use at once, or null where the system does not tell. */
export function peakMemory(pid: number | undefined): number | null {
  try {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return match ? Number(match[1]) * 1024 : null;
  } catch {
    return null; // It is gone, or this is no Linux.
  }
}

/** Waits until a process has next to nothing to do. Where the system does not tell, it does not wait. */
export async function atRest(pid: number): Promise<void> {
  let before = Number.NEGATIVE_INFINITY;
  for (const began = performance.now(); performance.now() - began < REST_LIMIT_MS; await delay(REST_LOOK_MS)) {
    const ticks = usedTicks(pid);
    if (ticks === null || ticks - before <= REST_TICKS) return;
    before = ticks;
  }
}

function usedTicks(pid: number): number | null {
  try {
    // Behind the name, which may have spaces in it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return null;
  }
}

/** Held open together, so that no two of them are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const holders = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(holders.map((holder) => once(holder, "listening")));
  const ports = holders.map((holder) => (holder.address() as AddressInfo).port);
  await Promise.all(holders.map((holder) => once(holder.close(), "close")));
  return ports;
}
