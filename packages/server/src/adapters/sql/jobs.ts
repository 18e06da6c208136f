import type { JobSort } from "@dbdepot/contract/operator/jobs";
import { type Selectable, sql } from "kysely";
import type { Job } from "../../domain/jobs/job.ts";
import type { JobCount, JobStore } from "../../domain/jobs/store.ts";
import { JOB_TYPES, type JobName } from "../../domain/jobs/types.ts";
import { isFree, sqlClaims, UNCLAIMED } from "./claims.ts";
import type { Queries } from "./connection.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

type JobRow = Selectable<Schema["jobs"]>;

const ID = sql.ref<string>("jobs.id");

const COLUMNS: ListColumns<JobSort> = {
  sorts: { type: sql<string>`jobs.type`, subject: sql<string>`jobs.subject`, created: sql<string>`jobs.created` },
  default: "-created",
  id: ID,
  searched: [sql.ref("jobs.type"), sql.ref("jobs.subject"), sql.ref("jobs.error"), ID],
};

export function sqlJobs(db: Queries): JobStore {
  const jobs = db.selectFrom("jobs").selectAll();
  const claims = sqlClaims(db, "jobs");
  return {
    async enqueue({ id, type, subject, data, created, due }) {
      const times = { created: toTime(created), due: toTime(due) };
      const row = { id, data: JSON.stringify(data), ...times, attempts: 0, error: null, failed: null, ...UNCLAIMED };
      await db
        .insertInto("jobs")
        .values({ ...row, type, subject })
        .onConflict((conflict) => {
          const same = conflict.columns(["type", "subject"]);
          // A new id ends the claim of the old job.
          return JOB_TYPES[type].ifQueued === "keep" ? same.doNothing() : same.doUpdateSet(row);
        })
        .execute();
    },
    async remove(type, subject) {
      await db.deleteFrom("jobs").where("type", "=", type).where("subject", "=", subject).execute();
    },
    async find(type, subject) {
      const row = await jobs.where("type", "=", type).where("subject", "=", subject).executeTakeFirst();
      return row && toJob(row, type);
    },
    async byId(id) {
      const row = await jobs.where("id", "=", id).executeTakeFirst();
      return row && toJob(row, row.type);
    },
    page({ state }, request, now) {
      const found = state === undefined ? jobs : jobs.where(stateAt(now), "=", state);
      return selectPage(found, COLUMNS, request, (row) => toJob(row, row.type));
    },
    async counts(now) {
      const { rows } = await sql<JobCount>`
        select type, ${stateAt(now)} as state, count(*) as count from jobs group by 1, 2`.execute(db);
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },
    async restart(id, now) {
      await db
        .updateTable("jobs")
        .set({ attempts: 0, due: toTime(now), error: null, failed: null, ...UNCLAIMED })
        .where("id", "=", id)
        .execute();
    },
    async removeFailed(before) {
      await db.deleteFrom("jobs").where("failed", "<", toTime(before)).execute();
    },
    async dueTypes(now) {
      const rows = await db.selectFrom("jobs").select("type").distinct().where(isDue(now)).where(isFree(now)).execute();
      return rows.map(({ type }) => type);
    },
    async claim(type, claim, now) {
      // Most of the time there is none, which takes no lock to find out.
      if ((await nextId(db, type, now)) === undefined) return undefined;
      return db.transaction().execute(async (transaction) => {
        // The lock on this row makes other claims wait, so that no more jobs are running than may.
        await sql`update revision set value = value`.execute(transaction);
        const id = await nextId(transaction, type, now);
        if (id === undefined) return undefined;
        const attempts = sql<number>`attempts + 1`;
        const row = await sqlClaims(transaction, "jobs").claim(id, claim, now, isDue(now), { attempts });
        return row && toJob(row, type);
      });
    },
    extend: (id, claim) => claims.extend(id, claim),
    release: (id, by, { attempts, due, error, failed }) =>
      claims.release(id, by, { attempts, due: toTime(due), error, failed: toTime(failed) }),
    finish: (id, by) => claims.finish(id, by),
  };
}

async function nextId(db: Queries, type: JobName, now: Date): Promise<string | undefined> {
  const { first, maxRunning } = JOB_TYPES[type];
  const ofType = db.selectFrom("jobs").where("type", "=", type);
  const running = await ofType
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("claimed_until", ">", toTime(now))
    .executeTakeFirstOrThrow();
  if (Number(running.count) >= maxRunning.total) return undefined;
  const order = first === "newest" ? "desc" : "asc";
  const next = ofType.select("id").where(isDue(now)).where(isFree(now)).orderBy("created", order).orderBy("id", order);
  return (await next.limit(1).executeTakeFirst())?.id;
}

function isDue(now: Date) {
  return sql<boolean>`(failed is null and due <= ${toTime(now)})`;
}

function stateAt(now: Date) {
  return sql<
    JobCount["state"]
  >`case when failed is not null then 'failed' when ${isFree(now)} then 'queued' else 'running' end`;
}

function toJob<Name extends JobName>(row: JobRow, type: Name): Job<Name> {
  const { claimed_by: by, claimed_until: until } = row;
  return {
    id: row.id,
    type,
    subject: row.subject,
    data: JSON.parse(row.data),
    created: fromTime(row.created),
    attempts: row.attempts,
    due: fromTime(row.due),
    error: row.error,
    failed: fromTime(row.failed),
    claim: by === null || until === null ? null : { by, until: fromTime(until) },
  };
}
