import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Notifications by e-mail: what people want to be told, and the outbox. */
export const notices: Migration = {
  name: "0023-notices",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("notice_recipients")
      // It has no foreign key, because servers of the previous version delete accounts without knowing this table.
      .addColumn("account_id", text, (column) => column.primaryKey())
      .addColumn("token", text, (column) => column.notNull().unique())
      .addColumn("off", text, (column) => column.notNull())
      .addColumn("digested", text)
      .addColumn("position_revision", "bigint")
      .addColumn("position_id", text)
      .execute();
    await schema
      .createTable("outbox")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("account_id", text, (column) => column.notNull())
      .addColumn("recipient", text, (column) => column.notNull())
      .addColumn("subject", text, (column) => column.notNull())
      .addColumn("text", text, (column) => column.notNull())
      .addColumn("html", text, (column) => column.notNull())
      .addColumn("unsubscribe_url", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("state", text, (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("next_attempt", text)
      .addColumn("begun", text)
      .addColumn("error", text)
      .execute();
    await schema.createIndex("outbox_state").on("outbox").columns(["state", "next_attempt"]).execute();
    await schema.createIndex("outbox_account").on("outbox").column("account_id").execute();
  },
};
