import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds events, in the order of the changes, and indexes that find licences and keys that end soon. */
export const events: Migration = {
  name: "0011-events",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
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
    for (const table of ["licences", "keys"]) {
      await schema
        .createIndex(`${table}_expires`)
        .on(table)
        .column("expires")
        .where(sql.ref("expires"), "is not", null)
        .execute();
    }
  },
};
