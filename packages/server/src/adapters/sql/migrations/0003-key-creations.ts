import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** The key that was created for each Idempotency-Key. */
export const keyCreations: Migration = {
  name: "0003-key-creations",
  async up({ schema }, engine) {
    const text = sql.raw(engine.textType);
    await schema
      .createTable("key_creations")
      .addColumn("organization_id", text, (column) => column.notNull().references("organizations.id"))
      .addColumn("idempotency_hash", text, (column) => column.notNull())
      .addColumn("key_id", text, (column) => column.notNull().references("keys.id"))
      .addColumn("created", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("key_creations_pk", ["organization_id", "idempotency_hash"])
      .execute();
    await schema.createIndex("key_creations_created").on("key_creations").column("created").execute();
  },
};
