/**
 * One SQLite connection on a thread of its own. node:sqlite is synchronous, and a commit
 * waits for the disk: here it does so without holding up the requests of the main thread.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

export type SqliteRequest =
  | { sql: string; parameters: SQLInputValue[] }
  /** For each row, in one transaction. */
  | { sql: string; rowsJson: string };

export type SqliteResponse =
  | { rows: Record<string, unknown>[]; changes?: number }
  | { error: { message: string; code: number | undefined } };

const STATEMENT_CACHE_SIZE = 200;
const BUSY_TIMEOUT_MS = 15_000;

const database = new DatabaseSync(workerData.path as string, { timeout: BUSY_TIMEOUT_MS });
const statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>();
let isPrepared = false;

parentPort?.on("message", (request: SqliteRequest | "close") => {
  if (request === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(answer(request));
});

function answer(request: SqliteRequest): SqliteResponse {
  try {
    if (!isPrepared) prepareConnection();
    const { statement, returnsRows } = prepare(request.sql);
    if ("rowsJson" in request) return runForEach(statement, JSON.parse(request.rowsJson));
    if (returnsRows) return { rows: statement.all(...request.parameters) };
    return { rows: [], changes: Number(statement.run(...request.parameters).changes) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    return { error: { message, code: errcode } };
  }
}

function runForEach(statement: StatementSync, rows: SQLInputValue[][]): SqliteResponse {
  database.exec("begin immediate");
  try {
    for (const row of rows) statement.run(...row);
    database.exec("commit");
    return { rows: [], changes: rows.length };
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

function prepareConnection(): void {
  database.exec("pragma journal_mode = wal");
  // FULL: a commit is on disk before it is answered, also when the power fails.
  database.exec("pragma synchronous = full");
  // 64 MB of log before it is moved into the database, not 4: pages that change again and again are moved once.
  database.exec("pragma wal_autocheckpoint = 16384");
  database.exec("pragma foreign_keys = on");
  isPrepared = true;
}

function prepare(sql: string) {
  const known = statements.get(sql);
  if (known) return known;
  const statement = database.prepare(sql);
  const prepared = { statement, returnsRows: statement.columns().length > 0 };
  if (statements.size >= STATEMENT_CACHE_SIZE) statements.clear();
  statements.set(sql, prepared);
  return prepared;
}
