import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Open families, the contract dates of licences, and attempts that needed no licence. `open` is 0 or 1: SQLite has no booleans. */
export const terms: Migration = {
  name: "0007-terms",
  async up(transaction, engine) {
    // See 0006. The tables come in the order in which the register and backups read them, for the same reason.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .alterTable("families")
      .addColumn("open", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.alterTable("licences").addColumn("renews_at", text).execute();
    await schema.alterTable("licences").addColumn("notice_due_at", text).execute();
    await schema
      .alterTable("attempts")
      .addColumn("open", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
