import { type SqlBool, sql } from "kysely";
import { type Action, ADDRESS_FIELDS, type AuditEntry } from "../../domain/audit/entry.ts";
import type { AuditStore } from "../../domain/audit/store.ts";
import { firstIdOf } from "../../platform/primitives/ids.ts";
import type { Queries } from "./connection.ts";
import { amountOf, isBefore, oldRows } from "./old-rows.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

/** Matches entries in which one of the fields is a string. */
const HAS_ADDRESS = sql<SqlBool>`(${sql.join(
  ADDRESS_FIELDS.flatMap((field) =>
    ["before", "after"].map((state) => sql`${sql.ref(state)} like ${`%"${field}":"%`}`),
  ),
  sql` or `,
)})`;

export function sqlAudit(db: Queries): AuditStore {
  return {
    async insert(entry) {
      await db.insertInto("audit").values(auditRow(entry)).execute();
    },
    async list({ subjects, organizationIds = [], actor, action, since, until, before, limit }) {
      let found = db.selectFrom("audit").selectAll().orderBy("id", "desc").limit(limit);
      if (subjects !== undefined) {
        found = found.where((where) =>
          where.or([
            where("subject", "in", subjects),
            ...(["keys", "legacy_keys", "licences", "access_requests"] as const).flatMap((table) =>
              organizationIds.map((id) =>
                where("subject", "in", db.selectFrom(table).select("id").where("organization_id", "=", id)),
              ),
            ),
          ]),
        );
      }
      if (actor !== undefined) found = found.where("actor", "=", actor);
      if (action !== undefined) {
        // "/" is the character after ".", so these are all actions of the noun.
        found = found.where((where) =>
          where.or([
            where("action", "=", action as Action),
            where.and([where("action", ">", `${action}.` as Action), where("action", "<", `${action}/` as Action)]),
          ]),
        );
      }
      // The id is never older than the time, and has an index.
      if (since !== undefined) found = found.where("created", ">=", toTime(since)).where("id", ">=", firstIdOf(since));
      if (until !== undefined) found = found.where("created", "<", toTime(until));
      if (before !== undefined) found = found.where("id", "<", before);
      return (await found.execute()).map((row) => ({
        ...row,
        before: JSON.parse(row.before),
        after: JSON.parse(row.after),
        created: fromTime(row.created),
      }));
    },
    async actorsOf(action, subjects) {
      const found = await inBatches(subjects, (batch) =>
        db
          .selectFrom("audit")
          .select(["subject", "actor"])
          .where("subject", "in", batch)
          .where("action", "=", action)
          .execute(),
      );
      return new Map(found.map(({ subject, actor }) => [subject, actor]));
    },
    ...oldRows(db, "audit"),
    async clearAddresses({ after, before, limit }) {
      const range = db.selectFrom("audit").select("id").where("id", ">", after).where("id", "<", firstIdOf(before));
      const last = (await range.orderBy("id").limit(limit).execute()).at(-1)?.id;
      if (last === undefined) return { cleared: 0 };
      const found = db
        .selectFrom("audit")
        .select(["id", "before", "after"])
        .where("id", ">", after)
        .where("id", "<=", last)
        .where(HAS_ADDRESS);
      const rows = await found.execute();
      for (const { id, ...states } of rows) {
        await db
          .updateTable("audit")
          .set({ before: withoutAddresses(states.before), after: withoutAddresses(states.after) })
          .where("id", "=", id)
          .execute();
      }
      return { cleared: rows.length, last };
    },
    addressesBefore: (time) => amountOf(db, "audit", sql`${isBefore("audit", time)} and ${HAS_ADDRESS}`),
  };
}

export function auditRow(entry: AuditEntry): Schema["audit"] {
  return {
    ...entry,
    before: JSON.stringify(entry.before),
    after: JSON.stringify(entry.after),
    created: toTime(entry.created),
  };
}

/** Addresses are direct fields of the state, which is null or an object. */
function withoutAddresses(json: string): string {
  const state = JSON.parse(json);
  for (const field of ADDRESS_FIELDS) if (typeof state?.[field] === "string") state[field] = null;
  return JSON.stringify(state);
}
