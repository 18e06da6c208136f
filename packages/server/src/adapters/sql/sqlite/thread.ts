import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Unavailable } from "../../../platform/primitives/faults.ts";
import type { SqliteError, SqliteQuery, SqliteResponse, SqliteResult, WorkerOptions } from "./worker.ts";

/** SQLITE_BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL and CANTOPEN: nothing is wrong with the query. */
const UNAVAILABLE_CODES = [5, 6, 7, 8, 10, 13, 14];

/** Exclusive use of a thread. */
export interface Lease {
  worker: SqliteWorker;
  release(): void;
}

/**
 * A thread with one SQLite connection, used by one caller at a time. It starts with the first caller, because commands
 * that only read do not need the writer's. If it dies, the next caller gets a new one.
 */
export class SqliteThread {
  readonly #options: WorkerOptions;
  #worker: SqliteWorker | undefined;
  /** Resolves when the last caller in the queue is done. */
  #queue: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Waits until earlier callers have released the thread. */
  async lease(): Promise<Lease> {
    const earlier = this.#queue;
    const { promise, resolve: release } = Promise.withResolvers<void>();
    this.#queue = promise;
    await earlier;
    try {
      if (this.#isClosed) throw new Error("the database is closed");
      if (!this.#worker || this.#worker.hasEnded) this.#worker = new SqliteWorker(this.#options);
      return { worker: this.#worker, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.close();
  }
}

export class SqliteWorker {
  readonly #worker: Worker;
  /** The worker answers in the order of the requests. */
  readonly #pending: PromiseWithResolvers<SqliteResult>[] = [];
  #failure: Error | undefined;

  constructor(workerData: WorkerOptions) {
    this.#worker = new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), { workerData });
    this.#worker.unref();
    this.#worker.on("message", (response: SqliteResponse) => this.#settle(response));
    this.#worker.on("error", (cause) => this.#fail(new Unavailable("the SQLite thread died", { cause })));
    this.#worker.on("exit", (code) => this.#fail(new Unavailable(`the SQLite thread exited with code ${code}`)));
  }

  get hasEnded(): boolean {
    return this.#failure !== undefined;
  }

  run(query: SqliteQuery): Promise<SqliteResult> {
    if (this.#failure) return Promise.reject(this.#failure);
    // A pending query keeps the process alive; an idle thread does not.
    if (this.#pending.length === 0) this.#worker.ref();
    const pending = Promise.withResolvers<SqliteResult>();
    this.#pending.push(pending);
    this.#worker.postMessage(query);
    return pending.promise;
  }

  /** Finishes pending queries first. */
  async close(): Promise<void> {
    if (this.#failure) return;
    const exited = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.ref();
    this.#worker.postMessage("close");
    await exited;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(response: SqliteResponse): void {
    const pending = this.#pending.shift();
    if (this.#pending.length === 0) this.#worker.unref();
    if ("result" in response) {
      pending?.resolve(response.result);
    } else {
      pending?.reject(toError(response.error));
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const pending of this.#pending.splice(0)) pending.reject(this.#failure);
  }
}

function toError({ message, code }: SqliteError): Error {
  // The low byte of an extended code is the primary code.
  const isUnavailable = code !== undefined && UNAVAILABLE_CODES.includes(code & 0xff);
  return isUnavailable ? new Unavailable(message) : new Error(message);
}
