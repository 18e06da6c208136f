import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Signed statements about the current builds, and the public keys that verify them. */
export const manifests: Migration = {
  name: "0013-manifests",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("signing_keys")
      .addColumn("key_id", text, (column) => column.primaryKey())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addColumn("public_key", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("expires", text)
      .addColumn("endorsement", text)
      .addColumn("endorsement_signature", text)
      .addColumn("imported", "integer", (column) => column.notNull())
      .execute();
    await schema
      .createTable("manifests")
      .addColumn("version_id", text, (column) => column.notNull().references("versions.id"))
      .addColumn("sequence", "bigint", (column) => column.notNull())
      .addColumn("revision", "bigint", (column) => column.notNull())
      // This is not a foreign key, because an imported chain also names builds that are no longer stored anywhere.
      .addColumn("build_id", text)
      .addColumn("body", text, (column) => column.notNull())
      .addColumn("signature", text, (column) => column.notNull())
      .addColumn("key_id", text, (column) => column.notNull().references("signing_keys.key_id"))
      .addColumn("created", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("manifests_primary", ["version_id", "sequence"])
      .execute();
    await schema.createIndex("manifests_revision").on("manifests").column("revision").execute();
    await schema.createIndex("manifests_build").on("manifests").columns(["build_id", "sequence"]).execute();
  },
};
