import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds to the usage totals how many bytes patches saved. Days that are final keep 0. */
export const savedBytes: Migration = {
  name: "0034-saved-bytes",
  async up(transaction) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    for (const table of ["usage_days", "usage_months"]) {
      await transaction.schema
        .alterTable(table)
        .addColumn("saved_bytes", "bigint", (column) => column.notNull().defaultTo(0))
        .execute();
    }
  },
};
