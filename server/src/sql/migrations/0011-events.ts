import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** What customers are told about, in the order of the changes. */
export const events: Migration = {
  name: "0011-events",
  async up(transaction, engine) {
    // As in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("events")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addColumn("type", text, (column) => column.notNull())
      .addColumn("organization_id", text, (column) => column.references("organizations.id"))
      .addColumn("base", text, (column) => column.references("families.base"))
      .addColumn("data", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("events_position").on("events").columns(["revision", "id"]).execute();
    await schema.createIndex("events_created").on("events").column("created").execute();
  },
};
