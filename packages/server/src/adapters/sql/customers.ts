import { sql } from "kysely";
import type { SecretHash } from "../../domain/access/secret.ts";
import type { CustomerStore } from "../../domain/customers/store.ts";
import { accountRow, selectAccounts, toAccount } from "./accounts.ts";
import { auditRow } from "./audit.ts";
import type { Queries } from "./connection.ts";
import { eventRow } from "./events.ts";
import { keyRow, secretRow, toKey } from "./keys.ts";
import { legacyKeyRow, toLegacyKey } from "./legacy-keys.ts";
import { licenceRow, toLicence } from "./licences.ts";
import { organizationRow, toOrganization, touchKeys } from "./organizations.ts";
import type { Schema } from "./schema.ts";
import { inBatches } from "./values.ts";

/** Rows have at most 15 columns, so this stays well below the number of parameters that both engines allow. */
const ROWS_PER_STATEMENT = 500;

export function sqlCustomers(db: Queries, revision: () => number): Omit<CustomerStore, "inBatch"> {
  return {
    async organizations({ externalIds, names }) {
      const rows = db.selectFrom("organizations").selectAll();
      const found = [
        ...(await inBatches(externalIds, (batch) => rows.where("external_id", "in", batch).execute())),
        ...(await inBatches(externalIds, (batch) => rows.where("id", "in", batch).execute())),
        ...(await inBatches(names, (batch) => rows.where("name", "in", batch).execute())),
      ];
      return [...new Map(found.map((row) => [row.id, toOrganization(row)])).values()];
    },
    async countOrganizations() {
      const { count } = await db
        .selectFrom("organizations")
        .select(({ fn }) => fn.countAll().as("count"))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async licencesOf(ids) {
      return (await inBatches(ids, (batch) => ofOrganizations("licences", batch))).map(toLicence);
    },
    async accountsOf(ids) {
      const found = await inBatches(ids, (batch) =>
        selectAccounts(db).where("accounts.organization_id", "in", batch).orderBy("accounts.id").execute(),
      );
      return found.map(withoutOrganization);
    },
    async keysOf(ids) {
      return (await inBatches(ids, (batch) => ofOrganizations("keys", batch))).map(toKey);
    },
    async legacyKeysOf(ids) {
      return (await inBatches(ids, (batch) => ofOrganizations("legacy_keys", batch))).map(toLegacyKey);
    },
    async accountsByEmail(emails) {
      const found = await inBatches(emails, (batch) =>
        selectAccounts(db).where("accounts.email", "in", batch).execute(),
      );
      return found.map(toAccount);
    },
    async secrets({ hashes, prefixes }) {
      const rows = db
        .selectFrom("key_secrets")
        .innerJoin("keys", "keys.id", "key_secrets.key_id")
        .select(["hash", "key_secrets.prefix", "key_id as keyId", "organization_id as organizationId"]);
      const found = [
        ...(await inBatches(hashes, (batch) => rows.where("hash", "in", batch as SecretHash[]).execute())),
        ...(await inBatches(prefixes, (batch) => rows.where("key_secrets.prefix", "in", batch).execute())),
      ];
      return [...new Map(found.map((row) => [row.hash, row])).values()];
    },
    async legacyKeysByHash(hashes) {
      const rows = db.selectFrom("legacy_keys").selectAll();
      const found = await inBatches(hashes, (batch) => rows.where("hash", "in", batch as SecretHash[]).execute());
      return found.map(toLegacyKey);
    },
    async insert({ organizations, licences, accounts, keys, legacyKeys }) {
      await insertRows(
        "organizations",
        organizations.map((each) => organizationRow(each, revision())),
      );
      await insertRows(
        "licences",
        licences.map((each) => licenceRow(each, revision())),
      );
      await insertRows(
        "accounts",
        accounts.map((each) => ({
          ...accountRow(each),
          password_hash: null,
          oidc_issuer: null,
          oidc_subject: null,
        })),
      );
      await insertRows(
        "keys",
        keys.map(({ key }) => keyRow(key, revision())),
      );
      await insertRows(
        "key_secrets",
        keys.map(({ secret }) => secretRow(secret)),
      );
      await insertRows(
        "legacy_keys",
        legacyKeys.map((each) => legacyKeyRow(each, revision())),
      );
    },
    async update({ organizations, licences }) {
      await replaceRows(
        "organizations",
        organizations.map((each) => organizationRow(each, revision())),
      );
      await touchKeys(
        db,
        organizations.map(({ id }) => id),
        revision(),
      );
      await replaceRows(
        "licences",
        licences.map((each) => licenceRow(each, revision())),
      );
    },
    async insertEntries(entries, events) {
      await insertRows("audit", entries.map(auditRow));
      await insertRows(
        "events",
        events.map((event) => eventRow(event, revision())),
      );
    },
  };

  function ofOrganizations<Name extends "licences" | "keys" | "legacy_keys">(table: Name, ids: readonly string[]) {
    return db
      .selectFrom(table as "licences")
      .selectAll()
      .where("organization_id", "in", ids)
      .orderBy("id")
      .execute() as unknown as Promise<Schema[Name][]>;
  }

  async function insertRows<Name extends keyof Schema>(table: Name, rows: readonly Schema[Name][]): Promise<void> {
    for (const batch of batchesOf(rows)) {
      await db
        .insertInto(table)
        .values(batch as never)
        .execute();
    }
  }

  /** Upserts rows that exist. Both engines then change many rows to different values with the same statement. */
  async function replaceRows(table: "organizations" | "licences", rows: readonly object[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== "id");
    const values = Object.fromEntries(columns.map((name) => [name, sql.ref(`excluded.${name}`)]));
    for (const batch of batchesOf(rows)) {
      await db
        .insertInto(table)
        .values(batch as never)
        .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
        .execute();
    }
  }
}

function batchesOf<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / ROWS_PER_STATEMENT);
  return Array.from({ length: count }, (_, n) => rows.slice(n * ROWS_PER_STATEMENT, (n + 1) * ROWS_PER_STATEMENT));
}

function withoutOrganization(row: Parameters<typeof toAccount>[0]) {
  const { organization: _, ...account } = toAccount(row);
  return account;
}
