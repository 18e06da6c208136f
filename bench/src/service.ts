import type { ChildProcess } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { exchange, type HttpRequest } from "./exchange.ts";
import { cleanEnvironment, freePorts, run, start, stop } from "./processes.ts";

/** Started as a user starts it: its first line says which flags Node.js gets. */
const COMMAND = resolve(import.meta.dirname, "../../server/bin/dbdepot-server.js");
const START_LIMIT_MS = 60_000;
const KNOCK_MS = 5;

export interface Place {
  dataDir: string;
  /** Left out: SQLite in the folder. */
  databaseUrl?: string;
}

export interface Service extends AsyncDisposable {
  origin: string;
  pid: number;
  startedInSeconds: number;
}

export interface StartOptions extends Place {
  /** What has to be answered with 200 before it counts as started. */
  firstRequest: HttpRequest;
  profile?: string | undefined;
}

/** `dbdepot-server serve` with its default settings, but for the rate limit: one key may ask as often as it likes. */
export async function startService(options: StartOptions): Promise<Service> {
  const [port = 0, objectsPort = 0] = await freePorts(2);
  const environment = environmentOf(options, {
    DBDEPOT_PORT: String(port),
    DBDEPOT_OBJECTS_PORT: String(objectsPort),
    DBDEPOT_RATE_LIMIT: "off",
    ...(options.profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(options.profile)}` }),
  });
  mkdirSync(options.dataDir, { recursive: true });
  const complaints = join(options.dataDir, "stderr.txt");
  const began = performance.now();
  // Its log goes nowhere: what is measured is the writing of it, not the disk that takes it.
  const child = start(COMMAND, ["serve"], { env: environment, stdio: ["ignore", "ignore", openSync(complaints, "w")] });
  const origin = `http://127.0.0.1:${port}`;
  try {
    await answered(child, origin, options.firstRequest);
  } catch (error) {
    await stop(child);
    throw new Error(`dbdepot-server did not start: ${(error as Error).message} (see ${complaints})`);
  }
  return {
    origin,
    pid: child.pid ?? 0,
    startedInSeconds: (performance.now() - began) / 1000,
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** Runs one of the operator's commands and gives what it prints for programs. */
export async function operate<T>(place: Place, ...args: string[]): Promise<T> {
  const { stdout } = await run(COMMAND, [...args, "--json"], { env: environmentOf(place) });
  return (stdout === "" ? undefined : JSON.parse(stdout)) as T;
}

/** The same, for its time and memory. */
export function timeOperation(place: Place, ...args: string[]) {
  return run(COMMAND, [...args, "--json"], { env: environmentOf(place) });
}

/** Makes the demo's data by starting the demo once. The key is a licensed customer's. */
export async function makeDemo(place: Place): Promise<{ key: string }> {
  const [port = 0, objectsPort = 0] = await freePorts(2);
  const ports = { DBDEPOT_PORT: String(port), DBDEPOT_OBJECTS_PORT: String(objectsPort) };
  const child = start(COMMAND, ["demo", "--json"], {
    env: environmentOf(place, ports),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  try {
    for await (const piece of child.stdout ?? []) {
      text += piece;
      if (!text.trimEnd().endsWith("}")) continue;
      const { customers } = JSON.parse(text) as { customers: { key: string; standing: string }[] };
      return { key: customers.find(({ standing }) => standing === "licensed")?.key ?? "" };
    }
    throw new Error(`the demo did not say its keys: ${text}`);
  } finally {
    await stop(child);
  }
}

function environmentOf({ dataDir, databaseUrl }: Place, extra: Record<string, string> = {}) {
  return cleanEnvironment({
    // The command's first line asks for "node": the one that runs this.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    DBDEPOT_DATA_DIR: dataDir,
    ...(databaseUrl && { DBDEPOT_DATABASE_URL: databaseUrl }),
    ...extra,
  });
}

async function answered(child: ChildProcess, origin: string, request: HttpRequest): Promise<void> {
  for (const began = performance.now(); performance.now() - began < START_LIMIT_MS; await delay(KNOCK_MS)) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    const response = await exchange(origin, request).catch(() => undefined);
    if (response?.status === 200) return;
    if (response) throw new Error(`${request.path} was answered with ${response.status}: ${response.body}`);
  }
  throw new Error(`nothing was answered for ${START_LIMIT_MS / 1000} s`);
}
