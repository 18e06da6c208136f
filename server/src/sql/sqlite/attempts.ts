import { type Kysely, sql } from "kysely";
import type { Attempt } from "../../downloads/attempt.ts";
import type { AttemptFilter, AttemptStore, HistoryPage, HistoryQuery } from "../../downloads/store.ts";
import { firstIdOf } from "../../ids.ts";
import { ATTEMPT_COLUMN_NAMES, type AttemptRow } from "../attempt-columns.ts";
import { matches, toAttempt, toRow } from "../attempts.ts";
import type { Schema } from "../schema.ts";
import type { SqliteLog } from "./log.ts";
import { newestFirst } from "./newest-first.ts";
import type { SqlitePool } from "./pool.ts";
import { toRecords } from "./records.ts";

/** The tables that only SQLite has: see history.ts. */
interface SqliteTables {
  attempts: AttemptRow & { number: number };
  attempts_by_organization: AttemptRow;
  attempts_filed: { through: number };
  [other: string]: Record<string, unknown>;
}

export class SqliteAttempts implements AttemptStore {
  readonly #pool: Pick<SqlitePool, "askHistory">;
  readonly #db: Kysely<Schema & SqliteTables>;
  readonly #log: Pick<SqliteLog, "grow">;

  constructor(pool: Pick<SqlitePool, "askHistory">, queries: Kysely<Schema>, log: Pick<SqliteLog, "grow">) {
    this.#pool = pool;
    this.#log = log;
    this.#db = queries.withTables<SqliteTables>();
  }

  async append(attempts: readonly Attempt[]): Promise<void> {
    const values = attempts.map((attempt) => Object.values(toRow(attempt)));
    await this.#pool.askHistory({ attemptsJson: JSON.stringify(values) });
    this.#log.grow(attempts.length);
  }

  async list({ limit, ...filter }: AttemptFilter): Promise<Attempt[]> {
    const { organizationId, before, ...marks } = filter;
    if (organizationId !== undefined && Object.keys(marks).length === 0) {
      const found = await this.#pool.askHistory({ attemptsOf: { organizationId, before, limit } });
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

  page(query: HistoryQuery): Promise<HistoryPage> {
    return this.#pool.askHistory({ pageOf: query });
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
}
