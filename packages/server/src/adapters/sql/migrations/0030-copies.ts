import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** A restored or copied database sends nothing until it is activated. */
export const copies: Migration = {
  name: "0030-copies",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    // A table of its own: on PostgreSQL, altering `revision` would wait for changes that wait for the lock above.
    await transaction.schema
      .createTable("copies")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("copied", sql.raw(engine.textType), (column) => column.notNull())
      .execute();
  },
};
