import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds the time when a family, version or organization was archived. */
export const archiving: Migration = {
  name: "0006-archiving",
  async up(transaction, engine) {
    // Every change of the previous version locks this row first. Otherwise a change and this migration could each wait
    // for a table that the other has locked.
    await sql`update revision set value = value`.execute(transaction);
    for (const table of ["families", "versions", "organizations"] as const) {
      await transaction.schema.alterTable(table).addColumn("archived", sql.raw(engine.textType)).execute();
    }
  },
};
