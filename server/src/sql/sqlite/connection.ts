import { extname } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { HistoryPage } from "../../downloads/store.ts";
import type { AttemptValues } from "./history.ts";
import type { Query, QueryRows } from "./queries.ts";
import { toRecords } from "./records.ts";
import type { SqliteRequest, SqliteResponse, SqliteResult } from "./worker.ts";

export type HistoryRequest = Exclude<SqliteRequest, Query>;
export type HistoryAnswer<R extends HistoryRequest> = R extends { pageOf: unknown } ? HistoryPage : AttemptValues[];

interface Waiting {
  resolve(result: SqliteResult): void;
  reject(error: Error): void;
}

/** A connection on a thread of its own. */
export class SqliteConnection implements DatabaseConnection {
  readonly #worker: Worker;
  /** Answers come in the order of the requests. */
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(path: string) {
    this.#worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { path },
      // Some room for young objects, and not as much as a thread would take otherwise.
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    });
    this.#worker.unref();
    this.#worker.on("message", (response: SqliteResponse) => this.#settle(response));
    this.#worker.on("error", (error: Error) => this.#failAll(error));
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const asked = this.#ask({ sql: query.sql, parameters: query.parameters as SQLInputValue[] });
    const { columns, rows, changes } = (await asked) as QueryRows;
    return {
      rows: toRecords(columns, rows) as R[],
      ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
    };
  }

  async askHistory<R extends HistoryRequest>(request: R): Promise<HistoryAnswer<R>> {
    return (await this.#ask(request)) as HistoryAnswer<R>;
  }

  // biome-ignore lint/correctness/useYield: the driver's interface asks for it; pages are read by limit instead
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("SQLite queries are not streamed: read them in pages");
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.ref();
    this.#worker.postMessage("close");
    await ended;
  }

  #ask(request: SqliteRequest): Promise<SqliteResult> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      // A process waits for its queries, but an idle connection does not keep it alive.
      if (this.#waiting.length === 0) this.#worker.ref();
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  #settle(response: SqliteResponse): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if ("error" in response) {
      waiting?.reject(Object.assign(new Error(response.error.message), { code: response.error.code }));
    } else {
      waiting?.resolve(response.result);
    }
  }

  #failAll(error: Error): void {
    this.#failure = error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}
