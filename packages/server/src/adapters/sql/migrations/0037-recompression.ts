import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Whether a version's csv.gz files are compressed again when they are published. */
export const recompression: Migration = {
  name: "0037-recompression",
  async up(transaction) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema
      .alterTable("versions")
      .addColumn("recompress", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
