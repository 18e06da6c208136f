import type { KeySort } from "@dbdepot/contract/iam/keys";
import { type Selectable, sql } from "kysely";
import type { Key, KeySecret } from "../../domain/keys/key.ts";
import type { KeyStore } from "../../domain/keys/store.ts";
import type { Engine, Queries } from "./connection.ts";
import { credentialReader, selectCredentials } from "./credentials.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

type KeyRow = Selectable<Schema["keys"]>;
type SecretRow = Selectable<Schema["key_secrets"]>;

/** Ids begin with the time of creation. */
const ID = sql.ref<string>("keys.id");

const COLUMNS: ListColumns<KeySort> = {
  sorts: {
    name: sql<string>`lower(name)`,
    created: ID,
    last_used: sql<string>`coalesce(last_used, '')`,
    // A key that never expires comes last.
    expires: sql<string>`coalesce(expires, '~')`,
  },
  default: "-created",
  id: ID,
  searched: [sql.ref("name"), sql.ref("prefix"), ID],
};

export function sqlKeys(db: Queries, { jsonRows }: Pick<Engine, "jsonRows">, revision: () => number): KeyStore {
  const rows = db.selectFrom("keys").selectAll();
  const keys: KeyStore = {
    async insert(key, secret) {
      await db.insertInto("keys").values(keyRow(key, revision())).execute();
      await db.insertInto("key_secrets").values(secretRow(secret)).execute();
    },
    async byId(id) {
      const row = await rows.where("id", "=", id).executeTakeFirst();
      return row && toKey(row);
    },
    async byPrefix(prefix) {
      const secret = await db
        .selectFrom("key_secrets")
        .select("key_id")
        .where("prefix", "=", prefix)
        .executeTakeFirst();
      const row = secret && (await rows.where("id", "=", secret.key_id).executeTakeFirst());
      return row && toKey(row);
    },
    async bySecret(hash) {
      const [found] = await keys.bySecrets([hash]);
      return found;
    },
    async bySecrets(hashes) {
      const asked = jsonRows(
        hashes.map((hash) => ({ hash })),
        { hash: "text" },
      );
      const found = selectCredentials(db).where(sql<boolean>`key_secrets.hash in (select input.hash from ${asked})`);
      return (await found.execute()).map(credentialReader());
    },
    async names(ids) {
      const tables = (["keys", "legacy_keys"] as const).map((table) =>
        inBatches(ids, (batch) => db.selectFrom(table).select(["id", "name"]).where("id", "in", batch).execute()),
      );
      return new Map((await Promise.all(tables)).flat().map(({ id, name }) => [id, name]));
    },
    list: async (filter) => (await keys.page(filter, {})).items,
    async page({ organizationId, active }, request) {
      let found = rows;
      if (organizationId !== undefined) found = found.where("organization_id", "=", organizationId);
      if (active) {
        const isOver = sql<boolean>`(revoked is not null or coalesce(expires <= ${toTime(active.at)}, false))`;
        found = found.where(active.is ? sql<boolean>`not ${isOver}` : isOver);
      }
      return selectPage(found, COLUMNS, request, toKey);
    },
    async expiring(after, before) {
      const found = rows
        .where("expires", ">", toTime(after))
        .where("expires", "<", toTime(before))
        .where("organization_id", "is not", null)
        .where("revoked", "is", null);
      return (await found.execute()).map(toKey);
    },
    async countLive(organizationId, now) {
      const { count } = await db
        .selectFrom("keys")
        .select(({ fn }) => fn.countAll().as("count"))
        .where("organization_id", "=", organizationId)
        .where("revoked", "is", null)
        .where((where) => where.or([where("expires", "is", null), where("expires", ">", toTime(now))]))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async update(key) {
      const { id, last_used: _, ...changes } = keyRow(key, revision());
      await db.updateTable("keys").set(changes).where("id", "=", id).execute();
    },
    async setLastUsed(uses) {
      const rows = uses.map(([id, used]) => ({ id, used: toTime(used) }));
      for (const table of ["keys", "legacy_keys"]) {
        const { id, last_used } = { id: sql.ref(`${table}.id`), last_used: sql.ref(`${table}.last_used`) };
        await sql`update ${sql.table(table)} set last_used = input.used from ${jsonRows(rows, { id: "text", used: "text" })}
          where ${id} = input.id and (${last_used} is null or ${last_used} < input.used)`.execute(db);
      }
    },
    async addSecret(secret) {
      await db.insertInto("key_secrets").values(secretRow(secret)).execute();
    },
    async endOlderSecrets({ id, prefix }, end) {
      const time = toTime(end);
      await db
        .updateTable("key_secrets")
        .set({ expires: time })
        .where("key_id", "=", id)
        .where("prefix", "!=", prefix)
        .where((where) => where.or([where("expires", "is", null), where("expires", ">", time)]))
        .execute();
    },
    async overlaps(keyIds, now) {
      const found = await inBatches(keyIds, (batch) =>
        db
          .selectFrom("key_secrets")
          .select(["key_id", ({ fn }) => fn.max("expires").as("end")])
          .where("key_id", "in", batch)
          .where("expires", ">", toTime(now))
          .groupBy("key_id")
          .execute(),
      );
      return new Map(found.map(({ key_id, end }) => [key_id, fromTime(end as string)]));
    },
    async creation(organizationId, idempotencyHash) {
      const row = await db
        .selectFrom("key_creations")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .where("idempotency_hash", "=", idempotencyHash)
        .executeTakeFirst();
      return row && { organizationId, idempotencyHash, keyId: row.key_id, created: fromTime(row.created) };
    },
    async insertCreation({ organizationId, idempotencyHash, keyId, created }) {
      await db
        .insertInto("key_creations")
        .values({
          organization_id: organizationId,
          idempotency_hash: idempotencyHash,
          key_id: keyId,
          created: toTime(created),
        })
        .execute();
    },
    async removeCreations(upTo) {
      await db.deleteFrom("key_creations").where("created", "<=", toTime(upTo)).execute();
    },
  };
  return keys;
}

export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    prefix: row.prefix,
    scopes: JSON.parse(row.scopes),
    cidrs: JSON.parse(row.cidrs),
    expires: fromTime(row.expires),
    created: fromTime(row.created),
    lastUsed: fromTime(row.last_used),
    revoked: fromTime(row.revoked),
  };
}

export function keyRow(key: Key, revision: number): KeyRow {
  return {
    id: key.id,
    organization_id: key.organizationId,
    name: key.name,
    prefix: key.prefix,
    scopes: JSON.stringify(key.scopes),
    cidrs: JSON.stringify(key.cidrs),
    expires: toTime(key.expires),
    created: toTime(key.created),
    last_used: toTime(key.lastUsed),
    revoked: toTime(key.revoked),
    revision,
  };
}

export function secretRow(secret: KeySecret): SecretRow {
  return {
    hash: secret.hash,
    key_id: secret.keyId,
    prefix: secret.prefix,
    created: toTime(secret.created),
    expires: toTime(secret.expires),
  };
}
