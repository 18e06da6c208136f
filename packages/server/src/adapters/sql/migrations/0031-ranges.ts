import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds whether an attempt was for the first part of a file, which counts as a download. */
export const ranges: Migration = {
  name: "0031-ranges",
  async up(transaction) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema
      .alterTable("attempts")
      .addColumn("from_start", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
