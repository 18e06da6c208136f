import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds what changed between builds, and the comparisons that are still to be made. */
export const changes: Migration = {
  name: "0018-changes",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("build_changes")
      .addColumn("from_build_id", text, (column) => column.notNull())
      .addColumn("to_build_id", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      // Null until the builds were compared.
      .addColumn("outcome", text)
      .addColumn("added", "bigint")
      .addColumn("removed", "bigint")
      .addColumn("changed", "bigint")
      .addColumn("attempts", "bigint", (column) => column.notNull())
      .addColumn("claimed_by", text)
      .addColumn("claimed_until", text)
      .addPrimaryKeyConstraint("build_changes_primary", ["to_build_id", "from_build_id"])
      .execute();
    await sql`create index build_changes_pending on build_changes (created) where outcome is null`.execute(transaction);
  },
};
