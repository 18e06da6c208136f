import { type Selectable, sql } from "kysely";
import type { AccessRequest } from "../../domain/requests/request.ts";
import type { RequestStore } from "../../domain/requests/store.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

type RequestRow = Schema["access_requests"];

/** 0 for pending requests, which come first, and 1 for all others. */
const RANK = sql<number>`case when state = 'pending' then 0 else 1 end`;

export function sqlRequests(db: Queries): RequestStore {
  const rows = db.selectFrom("access_requests").selectAll();
  return {
    async insert(request) {
      await db.insertInto("access_requests").values(toRow(request)).execute();
    },
    async byId(id) {
      // The id may come straight from a URL, and PostgreSQL rejects NUL characters.
      if (!isUuid(id)) return undefined;
      const row = await rows.where("id", "=", id).executeTakeFirst();
      return row && toRequest(row);
    },
    async list({ organizationId, base, state, after, limit }) {
      let found = rows.orderBy(RANK).orderBy("id", "desc");
      if (organizationId !== undefined) found = found.where("organization_id", "=", organizationId);
      if (base !== undefined) found = found.where("base", "=", base);
      if (state !== undefined) found = found.where("state", "=", state);
      if (after) {
        const rank = after.isPending ? 0 : 1;
        found = found.where((where) =>
          where.or([where(RANK, ">", rank), where.and([where(RANK, "=", rank), where("id", "<", after.id)])]),
        );
      }
      if (limit !== undefined) found = found.limit(limit);
      return (await found.execute()).map(toRequest);
    },
    async latest(organizationId) {
      const newest = db
        .selectFrom("access_requests")
        .select(({ fn }) => fn.max("id").as("id"))
        .where("organization_id", "=", organizationId)
        .groupBy("base");
      return (await rows.where("id", "in", newest).orderBy("base").execute()).map(toRequest);
    },
    async settled(licenceId, time) {
      const found = rows.where("licence_id", "=", licenceId).where("decided", "=", toTime(time)).orderBy("id");
      return (await found.execute()).map(toRequest);
    },
    async countPending() {
      const { count } = await db
        .selectFrom("access_requests")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("state", "=", "pending")
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async update({ id, state, reply, decided, licenceId }) {
      const decision = { state, reply, decided: toTime(decided), licence_id: licenceId };
      await db.updateTable("access_requests").set(decision).where("id", "=", id).execute();
    },
  };
}

function toRow(request: AccessRequest): RequestRow {
  return {
    id: request.id,
    organization_id: request.organizationId,
    base: request.base,
    person_email: request.person.email,
    person_name: request.person.name,
    message: request.message,
    state: request.state,
    reply: request.reply,
    decided: toTime(request.decided),
    licence_id: request.licenceId,
    created: toTime(request.created),
  };
}

function toRequest(row: Selectable<RequestRow>): AccessRequest {
  return {
    id: row.id,
    organizationId: row.organization_id,
    base: row.base,
    person: { email: row.person_email, name: row.person_name },
    message: row.message,
    state: row.state,
    reply: row.reply,
    decided: fromTime(row.decided),
    licenceId: row.licence_id,
    created: fromTime(row.created),
  };
}
