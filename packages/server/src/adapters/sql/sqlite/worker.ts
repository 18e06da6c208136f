/**
 * The thread that owns one SQLite connection; thread.ts is the main thread's side. node:sqlite is synchronous and a
 * commit waits for the disk, so queries run here instead of blocking the event loop.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

export interface WorkerOptions {
  path: string;
  /** Rejects every write, in case one is sent to the wrong thread. */
  isReader: boolean;
}

export interface SqliteQuery {
  sql: string;
  parameters: readonly unknown[];
}

export interface SqliteResult {
  rows: unknown[];
  /** Undefined for statements that return rows. */
  changes: number | undefined;
}

export interface SqliteError {
  message: string;
  /** SQLite's extended result code. */
  code: number | undefined;
}

export type SqliteResponse = { result: SqliteResult } | { error: SqliteError };

const BUSY_TIMEOUT_MS = 15_000;
const STATEMENT_CACHE_SIZE = 200;

const { path, isReader } = workerData as WorkerOptions;
const statements = new Map<string, StatementSync>();
let database: DatabaseSync | undefined;

parentPort?.on("message", (query: SqliteQuery | "close") => {
  if (query === "close") {
    database?.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(respond(query));
});

function respond(query: SqliteQuery): SqliteResponse {
  try {
    // A failed attempt to open the database is retried with the next query.
    database ??= open();
    return { result: run(prepare(database, query.sql), query.parameters as SQLInputValue[]) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    return { error: { message, code: errcode } };
  }
}

function open(): DatabaseSync {
  const opening = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    opening.exec("pragma journal_mode = wal");
    // A commit is on disk before it is acknowledged, even if the power fails.
    opening.exec("pragma synchronous = full");
    opening.exec("pragma foreign_keys = on");
    // Overwrites deleted content with zeros, so that the file no longer contains people who were erased.
    opening.exec("pragma secure_delete = on");
    if (isReader) opening.exec("pragma query_only = on");
  } catch (error) {
    opening.close();
    throw error;
  }
  return opening;
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  const cached = statements.get(sql);
  if (cached) return cached;
  const statement = database.prepare(sql);
  if (statements.size >= STATEMENT_CACHE_SIZE) statements.clear();
  statements.set(sql, statement);
  return statement;
}

function run(statement: StatementSync, parameters: SQLInputValue[]): SqliteResult {
  if (statement.columns().length > 0) return { rows: statement.all(...parameters), changes: undefined };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}
