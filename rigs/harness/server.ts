import { once } from "node:events";
import { mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { freePort } from "./free-port.ts";
import { type HttpRequest, waitFor } from "./http.ts";
import { run, start, stop } from "./processes.ts";

const COMMAND = resolve(import.meta.dirname, "../../packages/server/bin/dbdepot-server.js");

/** The location of a server's data. */
export interface ServerData {
  dataDir: string;
  /** Default: SQLite in the data directory. */
  databaseUrl?: string;
}

export interface Server extends AsyncDisposable {
  origin: string;
  pid: number;
  /** The time from the start of the process to the first response. */
  startSeconds: number;
}

/**
 * `dbdepot-server serve` with default settings, except for the rate limit, which is off. It has started when it
 * responds to the first request with 200.
 */
export async function startServer(
  { settings = {}, logFile, ...data }: ServerData & { settings?: Record<string, string>; logFile?: string },
  firstRequest: HttpRequest,
): Promise<Server> {
  const port = await freePort();
  mkdirSync(data.dataDir, { recursive: true });
  const errors = join(data.dataDir, "stderr.txt");
  const env = environment(data, {
    DBDEPOT_PORT: String(port),
    DBDEPOT_OBJECTS_PORT: String(await freePort()),
    DBDEPOT_METRICS_PORT: "off",
    DBDEPOT_RATE_LIMIT: "off",
    ...settings,
  });
  const began = performance.now();
  // By default the log goes to /dev/null, so the disk does not affect the measurement.
  const log = logFile ? openSync(logFile, "a") : "ignore";
  const child = start(COMMAND, ["serve"], { env, stdio: ["ignore", log, openSync(errors, "w")] });
  const origin = `http://127.0.0.1:${port}`;
  const exited = once(child, "exit").then(() => {
    throw new Error(`dbdepot-server exited: ${readFileSync(errors, "utf8")}`);
  });
  exited.catch(() => {});
  try {
    await Promise.race([waitFor(origin, firstRequest, 200), exited]);
  } catch (error) {
    await stop(child);
    throw error;
  }
  const startSeconds = (performance.now() - began) / 1000;
  return { origin, pid: child.pid ?? 0, startSeconds, [Symbol.asyncDispose]: () => stop(child) };
}

/** Runs an operator command and returns its JSON. */
export async function runCommand<T>(data: ServerData, ...args: string[]): Promise<T> {
  const { stdout } = await run(COMMAND, [...args, "--json"], { env: environment(data) });
  return (stdout === "" ? undefined : JSON.parse(stdout)) as T;
}

/** The demo's data with credentials for a server, for measurements and the fuzzer. */
export interface Demo {
  customers: { organization: string; standing: string; key: string }[];
  legacy: string;
  /** An invitation, with which an operator chooses a password. */
  operatorLink: string;
}

/**
 * Creates the demo data by running the demo once. The demo ends its own credentials when it stops, so this creates
 * others.
 */
export async function createDemo(data: ServerData): Promise<Demo> {
  const customers: Demo["customers"] = [];
  for (const { organization, standing } of await runDemo(data)) {
    const scopes = ["--scopes", "db.download,apikeys.manage"];
    const { key } = await runCommand<{ key: string }>(
      data,
      ...["keys", "create", "--org", organization, "--name", standing, ...scopes],
    );
    customers.push({ organization, standing, key });
  }
  const organization = customers[0]?.organization ?? "";
  const legacy = await runCommand<{ key: string }>(
    data,
    ...["legacy-keys", "create", "--org", organization, "--name", "v1", "--ids", "bogon_ip_v1,vpn_ip_v1"],
  );
  const invitation = await runCommand<{ link: string }>(
    data,
    ...["accounts", "invite", "operator@vendor.example", "--role", "operator"],
  );
  return { customers, legacy: legacy.key, operatorLink: invitation.link };
}

async function runDemo(data: ServerData): Promise<{ organization: string; standing: string }[]> {
  const ports = { DBDEPOT_PORT: String(await freePort()), DBDEPOT_OBJECTS_PORT: String(await freePort()) };
  const env = environment(data, ports);
  const child = start(COMMAND, ["demo", "--json"], { env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let text = "";
    for await (const line of createInterface(child.stdout as Readable)) {
      text += line;
      if (!line.startsWith("}")) continue;
      return JSON.parse(text).customers;
    }
    throw new Error(`the demo printed no keys: ${text}`);
  } finally {
    await stop(child);
  }
}

/** This process's environment without settings for another dbdepot. */
function environment({ dataDir, databaseUrl }: ServerData, extra: Record<string, string> = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(DBDEPOT|AWS)_/.test(name));
  return {
    ...Object.fromEntries(inherited),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    DBDEPOT_DATA_DIR: dataDir,
    ...(databaseUrl && { DBDEPOT_DATABASE_URL: databaseUrl }),
    ...extra,
  };
}
