import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { type Attempt, newAttempt } from "../../domain/downloads/attempt.ts";
import type { AttemptFilter, AttemptStore } from "../../domain/downloads/store.ts";
import { DOWNLOAD_STATUSES } from "../../domain/limits/limits.ts";
import { firstIdOf, newId } from "../../platform/primitives/ids.ts";
import type { Engine, Queries } from "./connection.ts";
import { amountOf, isBefore, oldRows } from "./old-rows.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toFlag, toTime } from "./values.ts";

type AttemptRow = Schema["attempts"];

const COLUMN_TYPES = {
  id: "text",
  api: "text",
  organization_id: "text",
  key_id: "text",
  dataset_id: "text",
  format: "text",
  outcome: "text",
  cause: "text",
  bytes: "bigint",
  http_status: "bigint",
  build_id: "text",
  client_ip: "text",
  user_agent: "text",
  created: "text",
  open: "bigint",
  sample: "bigint",
  patch: "bigint",
  sent_bytes: "bigint",
  from_start: "bigint",
} as const satisfies Record<keyof AttemptRow, string>;

const COLUMNS = Object.keys(COLUMN_TYPES) as (keyof AttemptRow)[];

const HAS_ADDRESS = sql<SqlBool>`(client_ip is not null or user_agent is not null)`;

/** Granted attempts that count as downloads. */
const IS_DOWNLOAD = sql<SqlBool>`(http_status in (${sql.join(DOWNLOAD_STATUSES)}) or from_start = 1)`;

export function sqlAttempts({ queries: db, jsonRows }: Pick<Engine, "queries" | "jsonRows">): AttemptStore {
  return {
    async append(attempts) {
      const columns = sql.join(COLUMNS.map((name) => sql.ref(name)));
      const rows = jsonRows(attempts.map(toRow), COLUMN_TYPES);
      // If "where true" is omitted, SQLite parses "on" as the start of a join condition.
      await sql`insert into attempts (${columns}) select ${columns} from ${rows} where true
        on conflict (id) do nothing`.execute(db);
    },
    probe: () =>
      db.transaction().execute(async (transaction) => {
        const attempt = probeAttempt(new Date());
        await sqlAttempts({ queries: transaction, jsonRows }).append([attempt]);
        await transaction.deleteFrom("attempts").where("id", "=", attempt.id).execute();
      }),
    async setSentBytes(sent) {
      const rows = jsonRows(
        sent.map(([id, bytes]) => ({ id, bytes })),
        { id: "text", bytes: "bigint" },
      );
      await sql`update attempts set sent_bytes = input.bytes from ${rows} where attempts.id = input.id`.execute(db);
    },
    async list({ limit, ...filter }) {
      const found = db.selectFrom("attempts").select(COLUMNS).where(matches(filter)).orderBy("id", "desc").limit(limit);
      return (await found.execute()).map(toAttempt);
    },
    async countsByDay(filter) {
      const date = sql<string>`substr(created, 1, 10)`;
      const ok = sql<number>`count(case when outcome = 'ok' then 1 end)`;
      return await db
        .selectFrom("attempts")
        .select([
          date.as("date"),
          ok.as("ok"),
          sql<number>`count(*) - ${ok}`.as("refused"),
          // PostgreSQL returns the sum of bigints as text, unless it is cast.
          sql<number>`cast(coalesce(sum(bytes), 0) as bigint)`.as("bytes"),
        ])
        .where(matches(filter))
        .groupBy(date)
        .orderBy(date)
        .execute();
    },
    async hasDownload({ organizationId, format, buildId, patch }, since) {
      const found = db
        .selectFrom("attempts")
        .select("id")
        .where(matches({ organizationId, outcome: "ok", sample: false, since }))
        .where("build_id", "=", buildId)
        .where("format", "=", format)
        .where("patch", "=", toFlag(patch))
        .where(IS_DOWNLOAD)
        .limit(1);
      return (await found.executeTakeFirst()) !== undefined;
    },
    consumption: (organizationId, since, until) =>
      consumptionIn(db, organizationId, since, until).executeTakeFirstOrThrow(),
    async lastBuilds(datasetId, buildIds, since) {
      const ranked = db
        .selectFrom("attempts")
        .select([
          "format",
          "build_id",
          sql<number>`row_number() over (partition by organization_id, key_id, client_ip, format order by id desc)`.as(
            "place",
          ),
        ])
        .where(matches({ datasetId, outcome: "ok", api: "v2", sample: false, since }))
        .where("build_id", "in", buildIds);
      const last = db.selectFrom(ranked.as("ranked")).select(["format", "build_id"]).distinct().where("place", "=", 1);
      return (await last.execute()).flatMap(({ format, build_id: buildId }) => (buildId ? [{ format, buildId }] : []));
    },
    async refusalsByKey({ since, newest, limit }) {
      const recent = db
        .selectFrom("attempts")
        .select(["key_id", "organization_id", "outcome", "created"])
        .where(matches({ since }))
        .orderBy("id", "desc")
        .limit(newest);
      const found = await db
        .selectFrom(recent.as("recent"))
        .select(({ fn }) => [
          "key_id",
          "organization_id",
          sql<number>`count(*)`.as("refused"),
          fn.max("created").as("last"),
        ])
        .where("outcome", "<>", "ok")
        .groupBy(["key_id", "organization_id"])
        .orderBy("refused", "desc")
        .orderBy("last", "desc")
        .limit(limit)
        .execute();
      return found.map(({ key_id, organization_id, refused, last }) => ({
        keyId: key_id,
        organizationId: organization_id,
        refused,
        last: fromTime(last),
      }));
    },
    ...oldRows(db, "attempts"),
    async clearAddresses({ after, before, limit }) {
      const range = db.selectFrom("attempts").select("id").where("id", ">", after).where("id", "<", firstIdOf(before));
      const last = (await range.orderBy("id").limit(limit).execute()).at(-1)?.id;
      if (last === undefined) return { cleared: 0 };
      const { numUpdatedRows } = await db
        .updateTable("attempts")
        .set({ client_ip: null, user_agent: null })
        .where("id", ">", after)
        .where("id", "<=", last)
        .where(HAS_ADDRESS)
        .executeTakeFirst();
      return { cleared: Number(numUpdatedRows), last };
    },
    addressesBefore: (time) => amountOf(db, "attempts", sql`${isBefore("attempts", time)} and ${HAS_ADDRESS}`),
  };
}

function probeAttempt(now: Date): Attempt {
  const request = {
    id: newId(now),
    api: "v2",
    datasetId: "probe",
    format: "",
    sample: false,
    clientIp: "",
    userAgent: "",
  } as const;
  return newAttempt(request, { organizationId: null, keyId: null }, { outcome: "unavailable", httpStatus: 503 }, now);
}

export function consumptionIn(db: Queries, organizationId: string, since: Date, until: Date) {
  return db
    .selectFrom("attempts")
    .select([
      sql<number>`count(case when ${IS_DOWNLOAD} then 1 end)`.as("downloads"),
      sql<number>`cast(coalesce(sum(coalesce(sent_bytes, bytes)), 0) as bigint)`.as("bytes"),
    ])
    .where(matches({ organizationId, outcome: "ok", sample: false, since, until }));
}

function matches(filter: Omit<AttemptFilter, "limit">): Expression<SqlBool> {
  const { id, organizationId, keyId, datasetId, outcome, api, sample, tables, since, until, before } = filter;
  const where = expressionBuilder<Schema, "attempts">();
  const conditions: Expression<SqlBool>[] = [];
  if (id !== undefined) conditions.push(where("id", "=", id));
  if (organizationId !== undefined) conditions.push(where("organization_id", "=", organizationId));
  if (keyId !== undefined) conditions.push(where("key_id", "=", keyId));
  if (datasetId !== undefined) conditions.push(where("dataset_id", "=", datasetId));
  if (outcome === "refused") conditions.push(where("outcome", "<>", "ok"));
  else if (outcome !== undefined) conditions.push(where("outcome", "=", outcome));
  if (api !== undefined) conditions.push(where("api", "=", api));
  if (tables !== undefined) conditions.push(where("api", tables ? "=" : "<>", "tables"));
  if (sample !== undefined) conditions.push(where("sample", "=", toFlag(sample)));
  if (since !== undefined) {
    // The second condition is exact; the first one uses the index.
    conditions.push(where("id", ">=", firstIdOf(since)), where("created", ">=", toTime(since)));
  }
  if (until !== undefined) conditions.push(where("created", "<", toTime(until)));
  if (before !== undefined) conditions.push(where("id", "<", before));
  return where.and(conditions);
}

function toAttempt(row: AttemptRow): Attempt {
  return {
    id: row.id,
    api: row.api,
    organizationId: row.organization_id,
    keyId: row.key_id,
    datasetId: row.dataset_id,
    format: row.format,
    outcome: row.outcome,
    cause: row.cause,
    bytes: row.bytes,
    httpStatus: row.http_status,
    buildId: row.build_id,
    clientIp: row.client_ip,
    userAgent: row.user_agent,
    created: fromTime(row.created),
    open: row.open === 1,
    sample: row.sample === 1,
    patch: row.patch === 1,
    sentBytes: row.sent_bytes,
    beginsDownload: row.from_start === 1,
  };
}

export function toRow(attempt: Attempt): AttemptRow {
  return {
    id: attempt.id,
    api: attempt.api,
    organization_id: attempt.organizationId,
    key_id: attempt.keyId,
    dataset_id: withoutNul(attempt.datasetId),
    format: withoutNul(attempt.format),
    outcome: attempt.outcome,
    cause: attempt.cause,
    bytes: attempt.bytes,
    http_status: attempt.httpStatus,
    build_id: attempt.buildId,
    client_ip: attempt.clientIp,
    user_agent: attempt.userAgent === null ? null : withoutNul(attempt.userAgent),
    created: toTime(attempt.created),
    open: toFlag(attempt.open),
    sample: toFlag(attempt.sample),
    patch: toFlag(attempt.patch),
    sent_bytes: attempt.sentBytes ?? null,
    from_start: toFlag(attempt.beginsDownload),
  };
}

/** PostgreSQL text cannot contain NUL: one such attempt would fail the whole group. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
