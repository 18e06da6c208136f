import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Signed statements that a manifest is the newest one, and the public keys that verify them. */
export const freshness: Migration = {
  name: "0038-freshness",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("freshness_keys")
      .addColumn("key_id", text, (column) => column.primaryKey())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addColumn("public_key", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("expires", text, (column) => column.notNull())
      .addColumn("replaced", text)
      .addColumn("revoked", "integer", (column) => column.notNull())
      .addColumn("endorsement", text, (column) => column.notNull())
      .addColumn("endorsement_signature", text, (column) => column.notNull())
      .addColumn("imported", "integer", (column) => column.notNull())
      .execute();
    await schema
      .createTable("freshness_statements")
      .addColumn("version_id", text, (column) => column.primaryKey().references("versions.id"))
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addColumn("sequence", "bigint", (column) => column.notNull())
      .addColumn("body", text, (column) => column.notNull())
      .addColumn("signature", text, (column) => column.notNull())
      .addColumn("key_id", text, (column) => column.notNull().references("freshness_keys.key_id"))
      .addColumn("issued", text, (column) => column.notNull())
      .addColumn("valid_until", text, (column) => column.notNull())
      .addColumn("renewal", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("freshness_statements_revision").on("freshness_statements").column("revision").execute();
  },
};
