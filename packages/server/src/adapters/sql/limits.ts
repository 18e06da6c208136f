import { type SqlBool, sql } from "kysely";
import { type Counted, dayPeriod, monthPeriod } from "../../domain/limits/limits.ts";
import type { LimitStore } from "../../domain/limits/store.ts";
import { utcDayOf } from "../../platform/primitives/dates.ts";
import { consumptionIn } from "./attempts.ts";
import type { Engine, Queries } from "./connection.ts";
import { bytesOf } from "./usage.ts";
import { toFlag, toTime } from "./values.ts";

const IN_HISTORY = sql<SqlBool>`exists (select 1 from attempts where attempts.id = limit_reservations.id)`;

export function sqlLimits({ queries }: Pick<Engine, "queries">): LimitStore {
  return {
    reserve: (organizationId, now, decide) =>
      queries.transaction().execute(async (transaction) => {
        // Locks the row, so that other reservations of this organization wait. On SQLite, the transaction does that.
        await transaction
          .updateTable("organizations")
          .set((set) => ({ name: set.ref("name") }))
          .where("id", "=", organizationId)
          .execute();
        await transaction
          .deleteFrom("limit_reservations")
          .where("organization_id", "=", organizationId)
          .where((where) => where.or([where("expires", "<=", toTime(now)), IN_HISTORY]))
          .execute();
        const reservation = decide(await count(transaction, organizationId, now));
        if (!reservation) return;
        const { isAhead, expires, ...row } = reservation;
        await transaction
          .insertInto("limit_reservations")
          .values({ ...row, organization_id: organizationId, ahead: toFlag(isAhead), expires: toTime(expires) })
          .execute();
      }),
    async release(id) {
      await queries.deleteFrom("limit_reservations").where("id", "=", id).execute();
    },
  };
}

async function count(db: Queries, organizationId: string, now: Date): Promise<Counted> {
  const [day, month] = [dayPeriod(now), monthPeriod(now)];
  const sum = (column: "downloads" | "bytes", ahead: 0 | 1) =>
    sql<number>`cast(coalesce(sum(case when ahead = ${sql.lit(ahead)} then ${sql.ref(column)} end), 0) as bigint)`;
  const held = db
    .selectFrom("limit_reservations")
    .select([
      sum("downloads", 0).as("reserved_downloads"),
      sum("bytes", 0).as("reserved_bytes"),
      sum("downloads", 1).as("ahead_downloads"),
      sum("bytes", 1).as("ahead_bytes"),
    ])
    .where("organization_id", "=", organizationId)
    .where(sql<SqlBool>`not ${IN_HISTORY}`);
  // One query, so that it sees a download either in the history or as reserved.
  const found = await db
    .selectFrom([consumptionIn(db, organizationId, day.start, day.end).as("used"), held.as("held")])
    .selectAll()
    .executeTakeFirstOrThrow();
  const earlierBytes = await bytesOf(db, organizationId, { from: utcDayOf(month.start), to: utcDayOf(day.start) });
  return {
    history: { downloads: found.downloads, bytes: found.bytes + earlierBytes },
    reserved: { downloads: found.reserved_downloads, bytes: found.reserved_bytes },
    ahead: { downloads: found.ahead_downloads, bytes: found.ahead_bytes },
  };
}
