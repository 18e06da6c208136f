import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Records which programs may run on this schema, so that one from before the newest migrations can still start. */
export const compatibility: Migration = {
  name: "0033-compatibility",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema
      .createTable("compatibility")
      .addColumn("compatible_with", sql.raw(engine.textType), (column) => column.notNull())
      .execute();
    await transaction.insertInto("compatibility").values({ compatible_with: "0033-compatibility" }).execute();
  },
};
