import type { OrganizationSort } from "@dbdepot/contract/operator/organizations";
import type { LimitName } from "@dbdepot/contract/v2/limits";
import { type Selectable, sql } from "kysely";
import type { Limits } from "../../domain/limits/limits.ts";
import type { Organization } from "../../domain/organizations/organization.ts";
import type { OrganizationStore } from "../../domain/organizations/store.ts";
import type { Queries } from "./connection.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

export function sqlOrganizations(db: Queries, revision: () => number): OrganizationStore {
  const rows = db.selectFrom("organizations").selectAll();
  return {
    async insert(organization) {
      await db.insertInto("organizations").values(organizationRow(organization, revision())).execute();
    },
    async update(organization) {
      const { id, created: _, ...changes } = organizationRow(organization, revision());
      await db.updateTable("organizations").set(changes).where("id", "=", id).execute();
      await touchKeys(db, [id], revision());
    },
    async byId(id) {
      const row = await rows.where("id", "=", id).executeTakeFirst();
      return row && toOrganization(row);
    },
    async byName(name) {
      const row = await rows.where("name", "=", name).executeTakeFirst();
      return row && toOrganization(row);
    },
    async byExternalId(externalId) {
      const row = await rows.where("external_id", "=", externalId).executeTakeFirst();
      return row && toOrganization(row);
    },
    async list() {
      return (await rows.orderBy("name").execute()).map(toOrganization);
    },
    async page({ ids, isArchived }, request, now) {
      let found = rows;
      if (ids !== undefined) found = found.where("id", "in", ids);
      if (isArchived !== undefined) found = found.where("archived", isArchived ? "is not" : "is", null);
      return selectPage(found, columnsAt(now), request, toOrganization);
    },
    async holdings(ids, now) {
      const { licences, keys, lastDownload, nextEnd } = holdingsAt(now);
      const found = await inBatches(ids, (batch) =>
        db
          .selectFrom("organizations")
          .select(["id", licences.as("licences"), keys.as("keys")])
          .select([lastDownload.as("last_download"), nextEnd.as("next_end")])
          .where("id", "in", batch)
          .execute(),
      );
      return new Map(
        found.map(({ id, licences, keys, last_download, next_end }) => [
          id,
          { licences, keys, lastDownload: fromTime(last_download), nextEnd: fromTime(next_end) },
        ]),
      );
    },
  };
}

/** Registers load keys together with their organization, so its changes are changes of its keys. */
export async function touchKeys(db: Queries, organizationIds: readonly string[], revision: number): Promise<void> {
  for (const table of ["keys", "legacy_keys"] as const) {
    const keys = db.updateTable(table).set({ revision });
    await inBatches(organizationIds, (batch) => keys.where("organization_id", "in", batch).execute());
  }
}

function columnsAt(now: Date): ListColumns<OrganizationSort> {
  const { licences, keys, lastDownload, nextEnd } = holdingsAt(now);
  const id = sql.ref<string>("organizations.id");
  return {
    sorts: {
      name: sql<string>`lower(organizations.name)`,
      created: id,
      licences,
      keys,
      last_download: sql<string>`coalesce(${lastDownload}, '')`,
      // Organizations of which no licence ends come last.
      next_end: sql<string>`coalesce(${nextEnd}, '~')`,
    },
    numbers: ["licences", "keys"],
    default: "name",
    id,
    searched: [sql.ref("organizations.name"), id, sql.ref("organizations.external_id")],
  };
}

/** Subqueries about the organization of a row. */
function holdingsAt(now: Date) {
  const time = toTime(now);
  return {
    licences: sql<number>`(select count(*) from licences where licences.organization_id = organizations.id
      and starts <= ${time} and (expires is null or expires > ${time}))`,
    keys: sql<number>`(select count(*) from keys where keys.organization_id = organizations.id
      and revoked is null and (expires is null or expires > ${time}))`,
    lastDownload: sql<string | null>`(select attempts.created from attempts
      where attempts.organization_id = organizations.id and outcome = 'ok' order by attempts.id desc limit 1)`,
    nextEnd: sql<string | null>`(select min(expires) from licences where licences.organization_id = organizations.id
      and expires > ${time} and starts < expires)`,
  };
}

export function toOrganization(row: Selectable<Schema["organizations"]>): Organization {
  return {
    id: row.id,
    name: row.name,
    created: fromTime(row.created),
    archived: fromTime(row.archived),
    externalId: row.external_id,
    linkRegion: row.link_region,
    limits: toLimits(row),
  };
}

export function organizationRow(organization: Organization, revision: number): Selectable<Schema["organizations"]> {
  return {
    id: organization.id,
    name: organization.name,
    created: toTime(organization.created),
    archived: toTime(organization.archived),
    external_id: organization.externalId,
    link_region: organization.linkRegion,
    ...organization.limits,
    revision,
  };
}

export function toLimits(row: Pick<Selectable<Schema["organizations"]>, LimitName>): Limits {
  const { requests_per_minute, downloads_per_day, bytes_per_month, parallel_streams } = row;
  return { requests_per_minute, downloads_per_day, bytes_per_month, parallel_streams };
}
