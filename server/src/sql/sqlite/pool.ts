import { setTimeout as delay } from "node:timers/promises";
import { CompiledQuery, type Driver, type TransactionSettings } from "kysely";
import { type HistoryAnswer, type HistoryRequest, SqliteConnection } from "./connection.ts";

/** One for changes, one for reads: neither waits for the other, nor for the history, which has one of its own. */
const OTHERS_MAX = 2;
/** So often others may hold the history up; then it has a connection of its own. */
const HELD_UP_MAX = 20;
/** Less is not worth a thread: 64 downloads of v1 at once ask for as many keys, each in a fraction of a millisecond. */
const HELD_UP_MS = 5;
/** So long two others wait for each other rather than start a thread. */
const PATIENCE_MS = 10;

/** Connections, each started when it is first needed: one takes 11 MB. */
export class SqlitePool implements Driver {
  readonly #path: string;
  /** Others may have it, too, while they do not hold it up. So a service with little to do has only this one. */
  #history: SqliteConnection | undefined;
  #timesHeldUp = 0;
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
      const began = performance.now();
      // Should others have it right afterwards, what they ask comes behind this.
      await this.#lent.promise;
      if (performance.now() - began >= HELD_UP_MS) this.#timesHeldUp += 1;
    }
    return this.#historyConnection().askHistory(request);
  }

  /** From now on: somebody has work for the others that would hold it up. */
  keepHistoryApart(): void {
    this.#timesHeldUp = HELD_UP_MAX;
  }

  async acquireConnection(): Promise<SqliteConnection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#timesHeldUp < HELD_UP_MAX) {
      if (this.#lent) await Promise.race([this.#lent.promise, delay(PATIENCE_MS)]);
      if (!this.#lent) {
        this.#lent = Promise.withResolvers();
        return this.#historyConnection();
      }
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

  #historyConnection(): SqliteConnection {
    this.#history ??= new SqliteConnection(this.#path);
    return this.#history;
  }
}
