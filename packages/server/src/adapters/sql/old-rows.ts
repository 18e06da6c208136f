import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Amount, OldRows } from "../../domain/old-rows.ts";
import { firstIdOf } from "../../platform/primitives/ids.ts";
import type { Queries } from "./connection.ts";
import { fromTime, toTime } from "./values.ts";

type OldTable = "attempts" | "audit" | "events" | "webhook_deliveries" | "destination_deliveries";

/** Text columns, which make up almost all of a row. */
const TEXTS: Record<OldTable, readonly string[]> = {
  attempts: [
    "id",
    "organization_id",
    "key_id",
    "dataset_id",
    "format",
    "build_id",
    "client_ip",
    "user_agent",
    "created",
  ],
  audit: ["id", "actor", "action", "subject", "before", "after", "created"],
  events: ["id", "type", "organization_id", "data", "created"],
  destination_deliveries: ["id", "destination_id", "version_id", "build_id", "error", "created"],
  webhook_deliveries: ["id", "webhook_id", "event_id", "error", "created", "request", "response"],
};

/** Ids of attempts and audit entries begin with the time and are indexed. Reminders have other ids, but their times are indexed. */
const BY_ID: ReadonlySet<OldTable> = new Set(["attempts", "audit"]);

export function oldRows(db: Queries, table: OldTable): OldRows {
  return {
    async removeBefore(time, limit) {
      const rows = table as "attempts";
      const old = db
        .selectFrom(rows)
        .select("id")
        .where(isBefore(table, time))
        .orderBy(BY_ID.has(table) ? "id" : "created")
        .limit(limit);
      const { numDeletedRows } = await db.deleteFrom(rows).where("id", "in", old).executeTakeFirst();
      return Number(numDeletedRows);
    },
    amountBefore: (time) => amountOf(db, table, isBefore(table, time)),
  };
}

/** Counts rows and the size of their contents. */
export async function amountOf(db: Queries, table: OldTable, condition: RawBuilder<SqlBool>): Promise<Amount> {
  const length = sql.join(
    TEXTS[table].map((column) => sql`coalesce(length(${sql.ref(column)}), 0)`),
    sql` + `,
  );
  // A query that is not built this way would run on the thread that writes.
  const { count, bytes, oldest } = await db
    .selectFrom(table as "audit")
    .select([
      sql<number>`count(*)`.as("count"),
      sql<number>`cast(coalesce(sum(${length}), 0) as bigint)`.as("bytes"),
      sql<string | null>`min(created)`.as("oldest"),
    ])
    .where(condition)
    .executeTakeFirstOrThrow();
  return { count: Number(count), bytes: Number(bytes), oldest: fromTime(oldest) };
}

export function isBefore(table: OldTable, time: Date): RawBuilder<SqlBool> {
  return BY_ID.has(table) ? sql<SqlBool>`id < ${firstIdOf(time)}` : sql<SqlBool>`created < ${toTime(time)}`;
}
