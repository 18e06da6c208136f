import type { Selectable } from "kysely";
import type { Licence } from "../../domain/licences/licence.ts";
import type { LicenceStore } from "../../domain/licences/store.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

export function sqlLicences(db: Queries, revision: () => number): LicenceStore {
  const rows = db.selectFrom("licences").selectAll();
  return {
    async insert(licence) {
      await db
        .insertInto("licences")
        .values({
          id: licence.id,
          organization_id: licence.organizationId,
          base: licence.base,
          redistribution: licence.redistribution,
          starts: toTime(licence.starts),
          expires: toTime(licence.expires),
          created: toTime(licence.created),
          renews_at: toTime(licence.renewsAt),
          notice_due_at: toTime(licence.noticeDueAt),
          revision: revision(),
        })
        .execute();
    },
    async byId(id) {
      // The id may come straight from a URL, and PostgreSQL rejects NUL characters.
      if (!isUuid(id)) return undefined;
      const row = await rows.where("id", "=", id).executeTakeFirst();
      return row && toLicence(row);
    },
    async list({ organizationId, base, redistribution, ending, after, limit }) {
      let found = rows.orderBy("id");
      if (organizationId !== undefined) found = found.where("organization_id", "=", organizationId);
      if (base !== undefined) found = found.where("base", "=", base);
      if (redistribution !== undefined) found = found.where("redistribution", "=", redistribution);
      if (ending) {
        found = found
          .where("expires", ">", toTime(ending.now))
          .where("expires", "<", toTime(ending.before))
          .whereRef("starts", "<", "expires");
      }
      if (after !== undefined) found = found.where("id", ">", after);
      if (limit !== undefined) found = found.limit(limit);
      return (await found.execute()).map(toLicence);
    },
    async update({ id, expires, renewsAt, noticeDueAt }) {
      await db
        .updateTable("licences")
        .set({
          expires: toTime(expires),
          renews_at: toTime(renewsAt),
          notice_due_at: toTime(noticeDueAt),
          revision: revision(),
        })
        .where("id", "=", id)
        .execute();
    },
  };
}

function toLicence(row: Selectable<Schema["licences"]>): Licence {
  return {
    id: row.id,
    organizationId: row.organization_id,
    base: row.base,
    redistribution: row.redistribution,
    starts: fromTime(row.starts),
    expires: fromTime(row.expires),
    created: fromTime(row.created),
    renewsAt: fromTime(row.renews_at),
    noticeDueAt: fromTime(row.notice_due_at),
  };
}
