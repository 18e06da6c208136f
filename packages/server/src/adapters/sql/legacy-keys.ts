import type { LegacyKeySort } from "@dbdepot/contract/operator/legacy-keys";
import { type Selectable, sql } from "kysely";
import type { LegacyKey } from "../../domain/legacy-keys/legacy-key.ts";
import type { LegacyKeyStore } from "../../domain/legacy-keys/store.ts";
import type { Queries } from "./connection.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

type Row = Selectable<Schema["legacy_keys"]>;

/** Ids begin with the time of creation. */
const ID = sql.ref<string>("legacy_keys.id");

const COLUMNS: ListColumns<LegacyKeySort> = {
  sorts: {
    name: sql<string>`lower(legacy_keys.name)`,
    organization: sql<string>`lower(coalesce(organizations.name, ''))`,
    created: ID,
    last_used: sql<string>`coalesce(legacy_keys.last_used, '')`,
  },
  default: "-created",
  id: ID,
  searched: [sql.ref("legacy_keys.name"), ID, sql.ref("legacy_keys.database_ids"), sql.ref("organizations.name")],
};

export function sqlLegacyKeys(db: Queries, revision: () => number): LegacyKeyStore {
  const rows = db.selectFrom("legacy_keys").selectAll();
  const keys: LegacyKeyStore = {
    async insert(key) {
      await db.insertInto("legacy_keys").values(legacyKeyRow(key, revision())).execute();
    },
    async byId(id) {
      const row = await rows.where("id", "=", id).executeTakeFirst();
      return row && toLegacyKey(row);
    },
    async byHash(hash) {
      // The keys of an archived organization are refused as if they were revoked.
      const row = await rows
        .leftJoin("organizations", "organizations.id", "legacy_keys.organization_id")
        .selectAll("legacy_keys")
        .select(sql<string | null>`coalesce(legacy_keys.revoked, organizations.archived)`.as("revoked"))
        .where("hash", "=", hash)
        .executeTakeFirst();
      return row && toLegacyKey(row);
    },
    list: async (filter = {}) => (await keys.page(filter, {})).items,
    async page({ organizationId, active }, request) {
      let found = db
        .selectFrom("legacy_keys")
        .leftJoin("organizations", "organizations.id", "legacy_keys.organization_id")
        .selectAll("legacy_keys");
      if (organizationId !== undefined) found = found.where("legacy_keys.organization_id", "=", organizationId);
      if (active) found = found.where("legacy_keys.revoked", active.is ? "is" : "is not", null);
      return selectPage(found, COLUMNS, request, toLegacyKey);
    },
    async update(key) {
      const { id, last_used: _, ...changes } = legacyKeyRow(key, revision());
      await db.updateTable("legacy_keys").set(changes).where("id", "=", id).execute();
    },
  };
  return keys;
}

export function toLegacyKey(row: Row): LegacyKey {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    hash: row.hash,
    databaseIds: JSON.parse(row.database_ids),
    created: fromTime(row.created),
    lastUsed: fromTime(row.last_used),
    revoked: fromTime(row.revoked),
  };
}

export function legacyKeyRow(key: LegacyKey, revision: number): Row {
  return {
    id: key.id,
    organization_id: key.organizationId,
    name: key.name,
    hash: key.hash,
    database_ids: JSON.stringify(key.databaseIds),
    created: toTime(key.created),
    last_used: toTime(key.lastUsed),
    revoked: toTime(key.revoked),
    revision,
  };
}
