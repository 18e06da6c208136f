import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/**
 * Adds whether an attempt was for a sample: 0 or 1, because SQLite has no booleans. The files themselves are rows of
 * `build_files`, whose format is then `sample_csvgz` or `sample_mmdb`; earlier versions ignore these rows.
 */
export const samples: Migration = {
  name: "0008-samples",
  async up(transaction) {
    // See 0006.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema
      .alterTable("attempts")
      .addColumn("sample", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
