import { CompiledQuery, type Driver, type TransactionSettings } from "kysely";
import { type HistoryAnswer, type HistoryRequest, SqliteConnection } from "./connection.ts";

/** One for changes, one for reads: neither waits for the other, nor for the history, which has one of its own. */
const OTHERS_MAX = 2;
/**
 * In so many seconds the history and others may want the same connection; then each has its own. A burst counts once,
 * since what it asks takes a fraction of a millisecond: 64 downloads of v1 at once need no thread.
 */
const MEETINGS_MAX = 20;
const MEETING_MS = 1000;

/** Connections, each started when it is first needed: one takes 11 MB. */
export class SqlitePool implements Driver {
  readonly #path: string;
  /** Others may have it, too, while they hardly ever meet. So a service with little to do has only this one. */
  #history: SqliteConnection | undefined;
  #meetings = 0;
  #lastMeeting = 0;
  #historyRequests = 0;
  #lent: PromiseWithResolvers<void> | undefined;
  readonly #others: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {}

  async askHistory<R extends HistoryRequest>(request: R): Promise<HistoryAnswer<R>> {
    if (this.#lent) {
      this.#meet();
      // Should others have it right afterwards, what they ask comes behind this.
      await this.#lent.promise;
    }
    this.#historyRequests += 1;
    try {
      return await this.#historyConnection().askHistory(request);
    } finally {
      this.#historyRequests -= 1;
    }
  }

  /** From now on: somebody has work for the others that would hold it up. */
  keepHistoryApart(): void {
    this.#meetings = MEETINGS_MAX;
  }

  async acquireConnection(): Promise<SqliteConnection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#meetings < MEETINGS_MAX && !this.#lent) {
      // What it is asked now comes behind.
      if (this.#historyRequests > 0) this.#meet();
      this.#lent = Promise.withResolvers();
      return this.#historyConnection();
    }
    if (this.#others.length < OTHERS_MAX) {
      const connection = new SqliteConnection(this.#path);
      this.#others.push(connection);
      return connection;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    if (connection === this.#history) {
      this.#lent?.resolve();
      this.#lent = undefined;
      return;
    }
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  async beginTransaction(connection: SqliteConnection, settings: TransactionSettings): Promise<void> {
    // A deferred transaction that turns from reading to writing can fail at once with
    // "database is locked"; one that begins "immediate" waits for its turn.
    const mode = settings.accessMode === "read only" ? "begin deferred" : "begin immediate";
    await connection.executeQuery(CompiledQuery.raw(mode));
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    const all = [...this.#others.splice(0), ...(this.#history ? [this.#history] : [])];
    this.#history = undefined;
    await Promise.all(all.map((connection) => connection.close()));
  }

  #meet(): void {
    const now = performance.now();
    if (now - this.#lastMeeting < MEETING_MS) return;
    this.#lastMeeting = now;
    this.#meetings += 1;
  }

  #historyConnection(): SqliteConnection {
    this.#history ??= new SqliteConnection(this.#path);
    return this.#history;
  }
}
