import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Programs that sign in with a person's approval. */
export const signIns: Migration = {
  name: "0021-sign-ins",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("device_requests")
      .addColumn("device_hash", text, (column) => column.primaryKey())
      .addColumn("user_hash", text, (column) => column.notNull().unique())
      .addColumn("id", text, (column) => column.notNull().unique())
      .addColumn("program_id", text, (column) => column.notNull())
      .addColumn("scopes", text, (column) => column.notNull())
      .addColumn("host", text)
      .addColumn("address", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("expires", text, (column) => column.notNull())
      .addColumn("last_polled", text)
      .addColumn("denied", "integer", (column) => column.notNull())
      .addColumn("account_id", text)
      .addColumn("approval", text)
      .execute();
    await schema.createIndex("device_requests_expires").on("device_requests").column("expires").execute();
    await schema
      .createTable("authorization_codes")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("program_id", text, (column) => column.notNull())
      .addColumn("redirect", text, (column) => column.notNull())
      .addColumn("challenge", text, (column) => column.notNull())
      .addColumn("scopes", text, (column) => column.notNull())
      .addColumn("host", text)
      .addColumn("address", text, (column) => column.notNull())
      .addColumn("account_id", text, (column) => column.notNull())
      .addColumn("approval", text, (column) => column.notNull())
      .addColumn("expires", text, (column) => column.notNull())
      .addColumn("sign_in_id", text)
      .execute();
    await schema
      .createTable("sign_ins")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("program_id", text, (column) => column.notNull())
      .addColumn("account_id", text, (column) => column.notNull())
      .addColumn("key_id", text, (column) => column.notNull().unique().references("keys.id"))
      .addColumn("days", "integer", (column) => column.notNull())
      .addColumn("key_expires", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("sign_ins_account").on("sign_ins").column("account_id").execute();
    await schema
      .createTable("refresh_tokens")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("sign_in_id", text, (column) => column.notNull().references("sign_ins.id"))
      .addColumn("used", "integer", (column) => column.notNull())
      .execute();
    await schema.createIndex("refresh_tokens_sign_in").on("refresh_tokens").column("sign_in_id").execute();
  },
};
