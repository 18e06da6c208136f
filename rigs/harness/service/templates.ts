import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type DatabaseAddress, openStore } from "../../../packages/server/src/adapters/sql/open.ts";

export const SQLITE_FILE = "dbdepot.sqlite";

/** Databases with the current schema. Suites copy them, which is faster than running the migrations. */
export interface Templates {
  /** A database on the Postgres server. */
  postgres: string;
  /** A directory that contains `dbdepot.sqlite`. */
  sqlite: string;
}

export async function createTemplates(
  postgresUrl: string | null,
): Promise<{ templates: Templates; remove(): Promise<void> }> {
  const sqlite = await mkdtemp(join(tmpdir(), "dbdepot-template-"));
  const postgres = newDatabaseName();
  await migrate({ engine: "sqlite", path: join(sqlite, SQLITE_FILE) });
  if (postgresUrl) {
    await runOn(postgresUrl, `create database ${postgres}`);
    await migrate({ engine: "postgres", url: databaseUrl(postgresUrl, postgres) });
  }
  return {
    templates: { postgres, sqlite },
    remove: async () => {
      if (postgresUrl) await runOn(postgresUrl, `drop database ${postgres} with (force)`);
      await rm(sqlite, { recursive: true });
    },
  };
}

export function newDatabaseName(): string {
  return `dbdepot_test_${randomBytes(8).toString("hex")}`;
}

export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

export async function runOn(url: string, sql: string): Promise<void> {
  await rowsOf(url, sql);
}

export async function rowsOf(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}

async function migrate(address: DatabaseAddress): Promise<void> {
  const store = await openStore(address);
  await store.migrate().finally(() => store.close());
}
