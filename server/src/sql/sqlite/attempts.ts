import { type Kysely, sql } from "kysely";
import type { Attempt } from "../../downloads/attempt.ts";
import type { AttemptFilter, AttemptStore } from "../../downloads/store.ts";
import { firstIdOf } from "../../ids.ts";
import { ATTEMPT_COLUMN_NAMES, type AttemptRow, matches, toAttempt, toRow } from "../attempts.ts";
import type { Schema } from "../schema.ts";
import type { AttemptValues } from "./history.ts";
import type { HistoryRequest } from "./history-thread.ts";
import { newestFirst } from "./newest-first.ts";
import { toRecords } from "./records.ts";
import { SqliteThread } from "./thread.ts";

/** The tables that only SQLite has: see history.ts. */
interface SqliteTables {
  attempts: AttemptRow & { number: number };
  attempts_by_organization: AttemptRow;
  attempts_filed: { through: number };
  [other: string]: Record<string, unknown>;
}

/** Some 50 to 100 MB of log. */
const ATTEMPTS_PER_CHECKPOINT = 50_000;

export class SqliteAttempts implements AttemptStore {
  readonly #path: string;
  readonly #db: Kysely<Schema & SqliteTables>;
  #started: SqliteThread<HistoryRequest, AttemptValues[]> | undefined;
  #sinceCheckpoint = 0;
  #checkpoint: Promise<void> | undefined;

  constructor(path: string, queries: Kysely<Schema>) {
    this.#path = path;
    this.#db = queries.withTables<SqliteTables>();
  }

  async append(attempts: readonly Attempt[]): Promise<void> {
    await this.#thread().ask({ attemptsJson: JSON.stringify(attempts.map(toValues)) });
    this.#sinceCheckpoint += attempts.length;
    if (this.#sinceCheckpoint < ATTEMPTS_PER_CHECKPOINT || this.#checkpoint) return;
    this.#sinceCheckpoint = 0;
    this.#checkpoint = this.#moveLog().finally(() => {
      this.#checkpoint = undefined;
    });
  }

  async list({ limit, ...filter }: AttemptFilter): Promise<Attempt[]> {
    const { organizationId, before, ...marks } = filter;
    if (organizationId !== undefined && Object.keys(marks).length === 0) {
      const found = await this.#thread().ask({ page: { organizationId, before, limit } });
      return (toRecords(ATTEMPT_COLUMN_NAMES, found) as AttemptRow[]).map(toAttempt);
    }
    const select = (table: "attempts" | "attempts_by_organization") =>
      this.#db
        .selectFrom(table as "attempts")
        .select(ATTEMPT_COLUMN_NAMES)
        .where(matches(filter))
        .orderBy("id", "desc")
        .limit(limit);
    if (organizationId === undefined) return (await select("attempts").execute()).map(toAttempt);
    // A scan, of at most some ten for each organization. First of all: what is filed meanwhile is in both then, not in neither.
    const { through } = await this.#db.selectFrom("attempts_filed").select("through").executeTakeFirstOrThrow();
    const unfiled = await select("attempts").where("number", ">", through).execute();
    const filed = await select("attempts_by_organization").execute();
    return newestFirst(unfiled, filed, ({ id }) => id, limit).map(toAttempt);
  }

  async removeBefore(time: Date, limit: number): Promise<number> {
    return this.#db.transaction().execute(async (db) => {
      const old = db
        .selectFrom("attempts")
        .select(["organization_id", "id"])
        .where("id", "<", firstIdOf(time))
        .orderBy("id")
        .limit(limit);
      await sql`delete from attempts_by_organization where (organization_id, id) in (${old})`.execute(db);
      const removed = await sql`delete from attempts where id in (select id from (${old}))`.execute(db);
      return Number(removed.numAffectedRows);
    });
  }

  async close(): Promise<void> {
    await this.#checkpoint;
    await this.#started?.close();
  }

  #thread() {
    this.#started ??= new SqliteThread("history-thread", this.#path);
    return this.#started;
  }

  /**
   * Moves the log into the database, from another connection than the history's, which goes on meanwhile. The second
   * step moves what has come in the meantime while nobody writes, so that the log begins anew instead of growing.
   */
  async #moveLog(): Promise<void> {
    await sql`pragma wal_checkpoint(passive)`.execute(this.#db);
    await sql`pragma wal_checkpoint(restart)`.execute(this.#db);
  }
}

function toValues(attempt: Attempt): AttemptValues {
  const row = toRow(attempt);
  return ATTEMPT_COLUMN_NAMES.map((name) => row[name]);
}
