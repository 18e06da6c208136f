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
  #isLent = false;
  #timesHeldUp = 0;
  /** What the history is asked for while it is lent. */
  readonly #heldUp: (() => void)[] = [];
  readonly #others: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  /** In their order, and only while nothing is free: whatever becomes free goes to the first. */
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {}

  async askHistory<R extends HistoryRequest>(request: R): Promise<HistoryAnswer<R>> {
    if (!this.#isLent) return this.#historyConnection().askHistory(request);
    const began = performance.now();
    return new Promise((resolve) => {
      this.#heldUp.push(() => {
        if (performance.now() - began >= HELD_UP_MS) this.#timesHeldUp += 1;
        resolve(this.#historyConnection().askHistory(request));
      });
    });
  }

  /** From now on: somebody has work for the others that would hold it up. */
  keepHistoryApart(): void {
    this.#timesHeldUp = HELD_UP_MAX;
  }

  async acquireConnection(): Promise<SqliteConnection> {
    const free = this.#takeFree();
    if (free) return free;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#others.length === OTHERS_MAX) return;
      setTimeout(() => {
        if (this.#waiting.includes(resolve)) this.#handOut(this.#startOther());
      }, PATIENCE_MS);
    });
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    if (connection === this.#history) {
      this.#isLent = false;
      // Before others have it again: none of this may come into their transactions.
      for (const ask of this.#heldUp.splice(0)) ask();
    } else {
      this.#idle.push(connection);
    }
    if (this.#waiting.length > 0) this.#handOut(this.#takeFree());
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

  #takeFree(): SqliteConnection | undefined {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#timesHeldUp >= HELD_UP_MAX) return this.#startOther();
    if (this.#isLent) return undefined;
    this.#isLent = true;
    return this.#historyConnection();
  }

  #handOut(connection: SqliteConnection | undefined): void {
    if (connection) this.#waiting.shift()?.(connection);
  }

  #startOther(): SqliteConnection | undefined {
    if (this.#others.length === OTHERS_MAX) return undefined;
    const connection = new SqliteConnection(this.#path);
    this.#others.push(connection);
    return connection;
  }

  #historyConnection(): SqliteConnection {
    this.#history ??= new SqliteConnection(this.#path);
    return this.#history;
  }
}
