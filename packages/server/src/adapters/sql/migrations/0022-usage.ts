import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/**
 * Totals of downloads per day and per month, which stay when the history is deleted, and how many bytes of a streamed file
 * were sent.
 */
export const usage: Migration = {
  name: "0022-usage",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema.alterTable("attempts").addColumn("sent_bytes", "bigint").execute();
    // Days are read by organization, months of all organizations at once: SQLite stores their rows in that order.
    for (const [table, period, [first, second]] of [
      ["usage_days", "day", ["organization_id", "day"]],
      ["usage_months", "month", ["month", "organization_id"]],
    ] as const) {
      await schema
        .createTable(table)
        .addColumn("organization_id", text, (column) => column.notNull())
        .addColumn(period, text, (column) => column.notNull())
        .addColumn("dataset_id", text, (column) => column.notNull())
        .addColumn("format", text, (column) => column.notNull())
        .addColumn("first_downloads", "bigint", (column) => column.notNull())
        .addColumn("repeats", "bigint", (column) => column.notNull())
        .addColumn("refused", "bigint", (column) => column.notNull())
        .addColumn("bytes", "bigint", (column) => column.notNull())
        .addColumn("keys", "bigint", (column) => column.notNull())
        .addColumn("addresses", "bigint", (column) => column.notNull())
        .addPrimaryKeyConstraint(`${table}_key`, [first, second, "dataset_id", "format"])
        .$call((create) => (engine.name === "sqlite" ? create.modifyEnd(sql`without rowid`) : create))
        .execute();
      await schema.createIndex(`${table}_${second}`).on(table).columns([second, first]).execute();
    }
    await schema
      .createTable("usage_builds")
      .addColumn("organization_id", text, (column) => column.notNull())
      .addColumn("dataset_id", text, (column) => column.notNull())
      .addColumn("format", text, (column) => column.notNull())
      .addColumn("build_id", text, (column) => column.notNull())
      .addColumn("first_day", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("usage_builds_key", ["organization_id", "dataset_id", "format", "build_id"])
      .execute();
    await schema
      .createIndex("usage_builds_first_day")
      .on("usage_builds")
      .columns(["organization_id", "first_day"])
      .execute();
    await schema
      .createTable("usage_progress")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("final_until", text, (column) => column.notNull())
      .addColumn("updated", text)
      .addColumn("due", text, (column) => column.notNull())
      .addColumn("claimed_by", text)
      .execute();
  },
};
