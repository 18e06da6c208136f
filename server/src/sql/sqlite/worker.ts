/**
 * A thread with a connection of its own; connection.ts is its other end. node:sqlite is synchronous, and a commit waits
 * for the disk: here it does so without holding up the requests of the main thread.
 */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { HistoryPage, HistoryQuery } from "../../downloads/store.ts";
import { type AttemptValues, SqliteHistory } from "./history.ts";
import { Queries, type Query, type QueryRows } from "./queries.ts";

export type SqliteRequest =
  | Query
  /** As JSON: one text crosses between threads at less cost than many values. */
  | { attemptsJson: string }
  | { attemptsOf: HistoryQuery }
  | { pageOf: HistoryQuery };

export type SqliteResult = QueryRows | AttemptValues[] | HistoryPage;
export type SqliteResponse = { result: SqliteResult } | { error: { message: string; code: number | undefined } };

const BUSY_TIMEOUT_MS = 15_000;
const LENT_DELAY_MS = 5;
/** Some 20,000 attempts a second are filed so, by a quarter of a processor's time: downloads have the rest. */
const FILING_PAUSE_MS = 5;
/** Nobody has written for so long: a good time for filing. */
const QUIET_MS = 3000;

const database = new DatabaseSync(workerData.path as string, { timeout: BUSY_TIMEOUT_MS });
const queries = new Queries(database);
let isPrepared = false;
let openedHistory: SqliteHistory | undefined;
let isFiling = false;
let lastAppendMs = 0;
let isAwaitingQuiet = false;
let isQuiet = false;

parentPort?.on("message", (request: SqliteRequest | "close") => {
  if (request === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(respond(request));
});

function respond(request: SqliteRequest): SqliteResponse {
  try {
    if (!isPrepared) prepareConnection();
    return { result: answer(request) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    return { error: { message, code: errcode } };
  }
}

function answer(request: SqliteRequest): SqliteResult {
  if ("sql" in request) return queries.run(request);
  if ("pageOf" in request) return history().page(request.pageOf);
  if ("attemptsOf" in request) return history().list(request.attemptsOf);
  history().append(JSON.parse(request.attemptsJson));
  lastAppendMs = performance.now();
  if (!isAwaitingQuiet) awaitQuiet();
  beginFiling();
  return [];
}

function awaitQuiet(): void {
  const leftMs = lastAppendMs + QUIET_MS - performance.now();
  isQuiet = leftMs <= 0;
  isAwaitingQuiet = !isQuiet;
  if (isQuiet) beginFiling();
  else setTimeout(awaitQuiet, leftMs).unref();
}

function history(): SqliteHistory {
  if (!openedHistory) {
    openedHistory = new SqliteHistory(database);
    // Another connection moves the log into the database now (attempts.ts): here downloads would wait for it.
    database.exec("pragma wal_autocheckpoint = 0");
    beginFiling();
  }
  return openedHistory;
}

function beginFiling(): void {
  if (isFiling) return;
  isFiling = true;
  setTimeout(file, FILING_PAUSE_MS);
}

/** Between requests. A failure loses nothing: what is not filed is found all the same, and filed after the next so many attempts. */
function file(): void {
  if (!database.isOpen) return;
  // Others have the connection, and a transaction that is not over.
  if (database.isTransaction) return void setTimeout(file, LENT_DELAY_MS);
  try {
    if (isQuiet) history().makeDue();
    isQuiet = false;
    isFiling = history().work();
  } catch (error) {
    isFiling = false;
    process.emitWarning(`the history could not be filed: ${(error as Error).message}`);
  }
  if (isFiling) setTimeout(file, history().isInArrears ? 0 : FILING_PAUSE_MS);
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
