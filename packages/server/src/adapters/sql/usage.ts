import { FORMATS } from "@dbdepot/contract/shared/formats";
import { type RawBuilder, sql } from "kysely";
import { monthOf, startOf } from "../../domain/usage/days.ts";
import type { CountedDay, UsageChanges, UsageProgress, UsageStore, UsageWindow } from "../../domain/usage/store.ts";
import type { DayTotals, FirstDownload } from "../../domain/usage/usage.ts";
import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import { firstIdOf } from "../../platform/primitives/ids.ts";
import { sqlClaims, UNCLAIMED } from "./claims.ts";
import type { Engine, Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { sqlUsageReports } from "./usage-reports.ts";
import { fromTime, toTime } from "./values.ts";

type DayRow = Schema["usage_days"];
type FirstRow = Schema["usage_builds"];

/** The id of the only row of `usage_progress`. */
const ROW = 1;
/** `final_until` before the first update. It sorts before every day. */
const NONE = "";
/** An attempt's id is made when the request arrives, a little earlier than the time it is recorded with. */
const ID_MARGIN_MS = 10 * MINUTE_MS;

const FIRST_KEY = { organization_id: "text", dataset_id: "text", format: "text", build_id: "text" } as const;
const FIRST_COLUMNS = { ...FIRST_KEY, first_day: "text" } as const satisfies Record<keyof FirstRow, string>;
const DAY_KEY = { organization_id: "text", day: "text", dataset_id: "text", format: "text" } as const;
const COUNTS = {
  first_downloads: "bigint",
  repeats: "bigint",
  refused: "bigint",
  bytes: "bigint",
  saved_bytes: "bigint",
  keys: "bigint",
  addresses: "bigint",
} as const;
const DAY_COLUMNS = { ...DAY_KEY, ...COUNTS } as const satisfies Record<keyof DayRow, string>;

export function sqlUsage({ queries: db, jsonRows }: Pick<Engine, "queries" | "jsonRows">): UsageStore {
  const claims = sqlClaims(db, "usage_progress");
  return {
    ...sqlUsageReports(db),
    async progress() {
      return toProgress(await db.selectFrom("usage_progress").selectAll().executeTakeFirst());
    },
    async oldestDay() {
      const oldest = await db.selectFrom("attempts").select("created").orderBy("id").limit(1).executeTakeFirst();
      return oldest?.created.slice(0, "2027-01-31".length);
    },
    async organizationIds() {
      const rows = await db.selectFrom("organizations").select("id").orderBy("id").execute();
      return rows.map(({ id }) => id);
    },
    bytesOf: (organizationId, days) => bytesOf(db, organizationId, days),
    async claim(claim, now) {
      await db
        .insertInto("usage_progress")
        .values({ id: ROW, final_until: NONE, updated: null, due: toTime(now), ...UNCLAIMED })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
      const claimed = await claims.claim(ROW, claim, now, sql`due <= ${toTime(now)}`);
      return claimed && toProgress(claimed);
    },
    count: (window) =>
      db
        .transaction()
        // Both queries must see the same attempts.
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute(async (snapshot) => ({
          days: await countDays(snapshot, window),
          firsts: await countFirsts(snapshot, window),
        })),
    async stored({ organizationIds, from, to }) {
      const days = await db
        .selectFrom("usage_days")
        .selectAll()
        .where("organization_id", "in", organizationIds)
        .where("day", ">=", from)
        .where("day", "<", to)
        .execute();
      const firsts = await db
        .selectFrom("usage_builds")
        .selectAll()
        .where("organization_id", "in", organizationIds)
        .where("first_day", ">=", from)
        .execute();
      return { days: days.map(toDay), firsts: firsts.map(toFirst) };
    },
    write: (claim, changes) =>
      db.transaction().execute(async (transaction) => {
        // Locks the row, so that a server that takes over waits for the end of the transaction.
        if (!(await sqlClaims(transaction, "usage_progress").extend(ROW, claim))) return false;
        await writeChanges(transaction, jsonRows, changes);
        return true;
      }),
    close: (claim, finalUntil) => claims.extend(ROW, claim, { final_until: finalUntil }),
    finish: (by, updated, next) => claims.release(ROW, by, { updated: toTime(updated), due: toTime(next) }),
  };
}

export async function bytesOf(
  db: Queries,
  organizationId: string,
  { from, to }: Pick<UsageWindow, "from" | "to">,
): Promise<number> {
  const { bytes } = await db
    .selectFrom("usage_days")
    .select(sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as("bytes"))
    .where("organization_id", "=", organizationId)
    .where("day", ">=", from)
    .where("day", "<", to)
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/**
 * The attempts that count, with the names of databases. A name that the organization invented, or could only guess, becomes "":
 * the totals neither grow with it nor reveal that a private database exists.
 */
function attemptsIn({ organizationIds, from, to }: UsageWindow): RawBuilder<unknown> {
  const [start, end] = [startOf(from), startOf(to)];
  const isKnown = sql`(attempts.format in (${sql.join([...FORMATS])}) or attempts.api = 'tables') and versions.id is not null and (
    attempts.outcome = 'ok' or (versions.archived is null and families.archived is null and (
      families.visibility = 'public' or exists (
        select 1 from licences where licences.organization_id = attempts.organization_id and licences.base = versions.base
          and (licences.expires is null or licences.expires > licences.starts)))))`;
  // The rest of a resumed transfer, 304 and HEAD save nothing.
  const isNewTransfer = sql`(attempts.http_status in (200, 302) or attempts.from_start = 1)
    and coalesce(attempts.sent_bytes, attempts.bytes) > 0`;
  return sql`(select attempts.organization_id, substr(attempts.created, 1, 10) as day, attempts.outcome, attempts.build_id,
      attempts.key_id, attempts.client_ip, coalesce(attempts.sent_bytes, attempts.bytes) as bytes,
      case when ${isNewTransfer} then build_files.size_bytes - attempts.bytes end as saved_bytes,
      case when ${isKnown} then attempts.dataset_id else '' end as dataset_id,
      case when ${isKnown} then attempts.format else '' end as format
    from attempts
      left join build_files on attempts.patch = 1 and build_files.build_id = attempts.build_id
        and build_files.format = attempts.format
      left join versions on versions.id = attempts.dataset_id
      left join families on families.base = versions.base
    where attempts.organization_id in (${sql.join([...organizationIds])})
      and attempts.id >= ${firstIdOf(new Date(start.getTime() - ID_MARGIN_MS))}
      and attempts.id < ${firstIdOf(new Date(end.getTime() + ID_MARGIN_MS))}
      and attempts.created >= ${toTime(start)} and attempts.created < ${toTime(end)}
      and attempts.sample = 0) as counted`;
}

async function countDays(db: Queries, window: UsageWindow): Promise<CountedDay[]> {
  type Row = Omit<DayRow, "first_downloads" | "repeats"> & { granted: number };
  const { rows } = await sql<Row>`
    select organization_id, day, dataset_id, format,
      count(case when outcome = 'ok' then 1 end) as granted,
      count(case when outcome <> 'ok' then 1 end) as refused,
      cast(coalesce(sum(case when outcome = 'ok' then bytes end), 0) as bigint) as bytes,
      cast(coalesce(sum(case when outcome = 'ok' and saved_bytes > 0 then saved_bytes end), 0) as bigint) as saved_bytes,
      count(distinct key_id) as keys,
      count(distinct client_ip) as addresses
    from ${attemptsIn(window)}
    group by organization_id, day, dataset_id, format`.execute(db);
  return rows.map(({ organization_id, dataset_id, saved_bytes, ...counts }) => ({
    organizationId: organization_id,
    datasetId: dataset_id,
    savedBytes: saved_bytes,
    ...counts,
  }));
}

async function countFirsts(db: Queries, window: UsageWindow): Promise<FirstDownload[]> {
  const { rows } = await sql<FirstRow>`
    select organization_id, dataset_id, format, build_id, min(day) as first_day
    from ${attemptsIn(window)}
    where outcome = 'ok' and build_id is not null and not exists (
      select 1 from usage_builds where usage_builds.organization_id = counted.organization_id
        and usage_builds.dataset_id = counted.dataset_id and usage_builds.format = counted.format
        and usage_builds.build_id = counted.build_id and usage_builds.first_day < ${window.from})
    group by organization_id, dataset_id, format, build_id`.execute(db);
  return rows.map(toFirst);
}

async function writeChanges(db: Queries, jsonRows: Engine["jsonRows"], { put, remove }: UsageChanges): Promise<void> {
  const changedDays = [...put.days, ...remove.days];
  if (remove.days.length > 0) await removeRows(db, "usage_days", DAY_KEY, jsonRows(remove.days.map(fromDay), DAY_KEY));
  if (put.days.length > 0) {
    await putRows(db, "usage_days", DAY_KEY, DAY_COLUMNS, jsonRows(put.days.map(fromDay), DAY_COLUMNS));
  }
  if (remove.firsts.length > 0) {
    await removeRows(db, "usage_builds", FIRST_KEY, jsonRows(remove.firsts.map(fromFirst), FIRST_KEY));
  }
  if (put.firsts.length > 0) {
    await putRows(db, "usage_builds", FIRST_KEY, FIRST_COLUMNS, jsonRows(put.firsts.map(fromFirst), FIRST_COLUMNS));
  }
  if (changedDays.length > 0) await addUpMonths(db, jsonRows, changedDays);
}

type Columns = Readonly<Record<string, "text" | "bigint">>;

async function removeRows(db: Queries, table: string, key: Columns, input: RawBuilder<unknown>): Promise<void> {
  const columns = namesOf(key);
  await sql`delete from ${sql.table(table)} where (${columns}) in (select ${columns} from ${input})`.execute(db);
}

async function putRows(
  db: Queries,
  table: string,
  key: Columns,
  all: Columns,
  input: RawBuilder<unknown>,
): Promise<void> {
  const values = Object.keys(all).filter((name) => !(name in key));
  const updates = sql.join(values.map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`));
  // If "where true" is omitted, SQLite parses "on" as the start of a join condition.
  await sql`insert into ${sql.table(table)} (${namesOf(all)}) select ${namesOf(all)} from ${input} where true
    on conflict (${namesOf(key)}) do update set ${updates}`.execute(db);
}

/** Computes the months of the changed days again. Days that are final have not changed, so final months stay the same. */
async function addUpMonths(db: Queries, jsonRows: Engine["jsonRows"], days: readonly DayTotals[]): Promise<void> {
  const months = new Map(
    days.map(({ organizationId, day }) => {
      const row = { organization_id: organizationId, month: monthOf(day) };
      return [`${row.organization_id} ${row.month}`, row];
    }),
  );
  const key = { organization_id: "text", month: "text" } as const;
  const input = jsonRows([...months.values()], key);
  await removeRows(db, "usage_months", key, input);
  // No day of a month is later than "2027-01-99".
  await sql`insert into usage_months (organization_id, month, dataset_id, format, ${namesOf(COUNTS)})
    select input.organization_id, input.month, usage_days.dataset_id, usage_days.format, sum(first_downloads),
      sum(repeats), sum(refused), sum(bytes), sum(saved_bytes), max(keys), max(addresses)
    from ${input} join usage_days on usage_days.organization_id = input.organization_id
      and usage_days.day >= input.month and usage_days.day < input.month || '-99'
    group by input.organization_id, input.month, usage_days.dataset_id, usage_days.format`.execute(db);
}

function namesOf(columns: Columns): RawBuilder<unknown> {
  return sql.join(Object.keys(columns).map((name) => sql.ref(name)));
}

function toProgress(row: Pick<Schema["usage_progress"], "final_until" | "updated"> | undefined): UsageProgress {
  return {
    finalUntil: row?.final_until || undefined,
    updated: row?.updated ? fromTime(row.updated) : undefined,
  };
}

function toDay({ organization_id, dataset_id, first_downloads, saved_bytes, ...row }: DayRow): DayTotals {
  const counts = { firstDownloads: first_downloads, savedBytes: saved_bytes };
  return { organizationId: organization_id, datasetId: dataset_id, ...counts, ...row };
}

function fromDay({ organizationId, datasetId, firstDownloads, savedBytes, ...day }: DayTotals): DayRow {
  const counts = { first_downloads: firstDownloads, saved_bytes: savedBytes };
  return { organization_id: organizationId, dataset_id: datasetId, ...counts, ...day };
}

function toFirst({ organization_id, dataset_id, format, build_id, first_day }: FirstRow): FirstDownload {
  return { organizationId: organization_id, datasetId: dataset_id, format, buildId: build_id, day: first_day };
}

function fromFirst({ organizationId, datasetId, format, buildId, day }: FirstDownload): FirstRow {
  return { organization_id: organizationId, dataset_id: datasetId, format, build_id: buildId, first_day: day };
}
