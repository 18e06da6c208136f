import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const STOP_GRACE_MS = 15_000;
const MEMORY_INTERVAL_MS = 20;

const running = new Set<ChildProcess>();

/** Starts a process like `spawn`, but `stopAll` stops the process if it is still running. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Starts one of our own programs, which prints one line once it is ready. */
export async function startProgram(path: string, args: string[], env: Record<string, string> = {}) {
  const child = start(process.execPath, [path, ...args], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout as Readable), "line")) as [string];
  return { child, line, [Symbol.asyncDispose]: () => stop(child) };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
  await exited;
  clearTimeout(timer);
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

/** Returns the ids of the processes that a process has started. Requires Linux. */
export async function childrenOf(pid: number | undefined): Promise<number[]> {
  const ids = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return (ids.match(/\d+/g) ?? []).map(Number);
}

/** Signals one process, such as a child of a program that a test has started. */
export function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  process.kill(requireId(pid), signal);
}

/** Signals a process that was started with `detached`, and all processes that it has started. */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  process.kill(-requireId(pid), signal);
}

/** 0 would signal this process's own group, and -1 every process of the user. */
function requireId(pid: number | undefined): number {
  if (pid === undefined || !Number.isSafeInteger(pid) || pid <= 1) throw new Error(`${pid} is not a process to signal`);
  return pid;
}

export interface Finished {
  stdout: string;
  seconds: number;
  peakMb: number;
}

/** Runs a program until it exits. Throws with its standard error if it fails. */
export async function run(
  command: string,
  args: readonly string[],
  { input = "", accepts = [0], ...options }: SpawnOptions & { input?: string; accepts?: readonly number[] } = {},
): Promise<Finished> {
  const began = performance.now();
  const child = start(command, args, { ...options, stdio: "pipe" });
  let peakMb = 0;
  const timer = setInterval(() => {
    peakMb = peakMemoryMb(child.pid) || peakMb;
  }, MEMORY_INTERVAL_MS);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  child.stdin?.on("error", () => {}); // The program may exit without reading its input.
  child.stdin?.end(input);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (!accepts.includes(code ?? -1)) throw new Error(`${command} ${args.join(" ")} failed: ${output.stderr.trim()}`);
    return { stdout: output.stdout, seconds: (performance.now() - began) / 1000, peakMb };
  } finally {
    clearInterval(timer);
  }
}

/** Returns the peak resident memory of the process so far, or 0 on systems other than Linux. */
export function peakMemoryMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}

/** The processor time that a process has used. The kernel counts in hundredths of a second. */
export function cpuSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
