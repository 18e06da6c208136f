import type { Action, AuditEntry } from "../../domain/audit/entry.ts";
import type { AuditStore } from "../../domain/audit/store.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

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
      if (since !== undefined) found = found.where("created", ">=", toTime(since));
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
