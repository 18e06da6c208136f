import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Which statement of freshness and which patches a customer's bucket has. */
export const deliveredAdditions: Migration = {
  name: "0042-delivered-additions",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema
      .alterTable("destination_databases")
      .addColumn("additions", sql.raw(engine.textType), (column) => column.notNull().defaultTo(""))
      .execute();
  },
};
