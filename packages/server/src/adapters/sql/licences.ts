import type { LicenceSort, LicenceState } from "@dbdepot/contract/operator/licences";
import { type Selectable, sql } from "kysely";
import type { Licence } from "../../domain/licences/licence.ts";
import type { LicenceFilter, LicenceStore } from "../../domain/licences/store.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import type { Queries } from "./connection.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

/** Ids begin with the time of creation. */
const ID = sql.ref<string>("licences.id");

const COLUMNS: ListColumns<LicenceSort> = {
  sorts: {
    organization: sql<string>`lower(organizations.name)`,
    base: sql.ref<string>("licences.base"),
    starts: sql.ref<string>("licences.starts"),
    // A licence without an end comes last.
    expires: sql<string>`coalesce(licences.expires, '~')`,
    created: ID,
  },
  default: "created",
  id: ID,
  searched: [sql.ref("organizations.name"), sql.ref("licences.base"), ID],
};

export function sqlLicences(db: Queries, revision: () => number): LicenceStore {
  const rows = db.selectFrom("licences").selectAll();
  const licences: LicenceStore = {
    async insert(licence) {
      await db.insertInto("licences").values(licenceRow(licence, revision())).execute();
    },
    async byId(id) {
      // The id may come straight from a URL, and PostgreSQL rejects NUL characters.
      if (!isUuid(id)) return undefined;
      const row = await rows.where("id", "=", id).executeTakeFirst();
      return row && toLicence(row);
    },
    list: async (filter) => (await licences.page(filter, {})).items,
    page: (filter, request) => selectPage(matching(filter).selectAll("licences"), COLUMNS, request, toLicence),
    async count(filter) {
      const { count } = await matching(filter)
        .select(({ fn }) => fn.countAll().as("count"))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async update(licence) {
      const { id, organization_id: _, base: __, created: ___, ...changes } = licenceRow(licence, revision());
      await db.updateTable("licences").set(changes).where("id", "=", id).execute();
    },
  };
  return licences;

  function matching({ organizationId, base, redistribution, state, ending }: LicenceFilter) {
    let found = db.selectFrom("licences").innerJoin("organizations", "organizations.id", "licences.organization_id");
    if (organizationId !== undefined) found = found.where("licences.organization_id", "=", organizationId);
    if (base !== undefined) found = found.where("licences.base", "=", base);
    if (redistribution === "contract") found = found.where("licences.redistribution", "!=", "evaluation");
    else if (redistribution !== undefined) found = found.where("licences.redistribution", "=", redistribution);
    if (state) found = found.where(isInState(state.is, toTime(state.at)));
    if (ending) {
      found = found
        .where("licences.expires", ">", toTime(ending.now))
        .where("licences.expires", "<", toTime(ending.before))
        .whereRef("licences.starts", "<", "licences.expires");
    }
    return found;
  }
}

/** The same rule as for the state of a single licence. */
function isInState(state: LicenceState, now: string) {
  const isLive = sql<boolean>`(starts <= ${now} and (expires is null or expires > ${now}))`;
  const isUpcoming = sql<boolean>`(starts > ${now} and (expires is null or expires > starts))`;
  if (state === "live") return isLive;
  return state === "upcoming" ? isUpcoming : sql<boolean>`not ${isLive} and not ${isUpcoming}`;
}

export function licenceRow(licence: Licence, revision: number): Selectable<Schema["licences"]> {
  return {
    id: licence.id,
    organization_id: licence.organizationId,
    base: licence.base,
    redistribution: licence.redistribution,
    starts: toTime(licence.starts),
    expires: toTime(licence.expires),
    created: toTime(licence.created),
    renews_at: toTime(licence.renewsAt),
    notice_due_at: toTime(licence.noticeDueAt),
    external_id: licence.externalId,
    terms_id: licence.termsId,
    revision,
  };
}

export function toLicence(row: Selectable<Schema["licences"]>): Licence {
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
    externalId: row.external_id,
    termsId: row.terms_id,
  };
}
