import type { Selectable } from "kysely";
import type { Organization } from "../../domain/organizations/organization.ts";
import type { OrganizationStore } from "../../domain/organizations/store.ts";
import type { Queries } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

export function sqlOrganizations(db: Queries, revision: () => number): OrganizationStore {
  const rows = db.selectFrom("organizations").selectAll();
  return {
    async insert({ id, name, created, archived }) {
      await db
        .insertInto("organizations")
        .values({ id, name, created: toTime(created), archived: toTime(archived), revision: revision() })
        .execute();
    },
    async update({ id, name, archived }) {
      const changes = { name, archived: toTime(archived), revision: revision() };
      await db.updateTable("organizations").set(changes).where("id", "=", id).execute();
      for (const table of ["keys", "legacy_keys"] as const) {
        await db.updateTable(table).set({ revision: revision() }).where("organization_id", "=", id).execute();
      }
    },
    async byId(id) {
      const row = await rows.where("id", "=", id).executeTakeFirst();
      return row && toOrganization(row);
    },
    async byName(name) {
      const row = await rows.where("name", "=", name).executeTakeFirst();
      return row && toOrganization(row);
    },
    async list(page) {
      let found = rows.orderBy("name");
      if (page) found = found.limit(page.limit);
      if (page?.after !== undefined) found = found.where("name", ">", page.after);
      return (await found.execute()).map(toOrganization);
    },
  };
}

function toOrganization(row: Selectable<Schema["organizations"]>): Organization {
  return { id: row.id, name: row.name, created: fromTime(row.created), archived: fromTime(row.archived) };
}
