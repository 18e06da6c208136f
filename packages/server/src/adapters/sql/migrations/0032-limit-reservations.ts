import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds downloads that were granted and are not in the history yet, so that all servers count them. */
export const limitReservations: Migration = {
  name: "0032-limit-reservations",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const text = sql.raw(engine.textType);
    await transaction.schema
      .createTable("limit_reservations")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("organization_id", text, (column) => column.notNull())
      .addColumn("downloads", "bigint", (column) => column.notNull())
      .addColumn("bytes", "bigint", (column) => column.notNull())
      .addColumn("ahead", "integer", (column) => column.notNull())
      .addColumn("expires", text, (column) => column.notNull())
      .execute();
    await transaction.schema
      .createIndex("limit_reservations_organization")
      .on("limit_reservations")
      .column("organization_id")
      .execute();
  },
};
