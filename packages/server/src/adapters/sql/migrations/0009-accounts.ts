import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** People, their sessions and their one-time links. */
export const accounts: Migration = {
  name: "0009-accounts",
  async up(transaction, engine) {
    // Every change locks this row first. Otherwise a change and this migration could each wait for a table that the
    // other has locked.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("accounts")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("email", text, (column) => column.notNull().unique())
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("role", text, (column) => column.notNull())
      .addColumn("organization_id", text, (column) => column.references("organizations.id"))
      .addColumn("password_hash", text)
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("last_sign_in", text)
      .addColumn("disabled", text)
      // The organization decides what an account may see, so it must never be missing by mistake.
      .addCheckConstraint(
        "accounts_role_organization",
        sql`(role in ('operator', 'operator_viewer') and organization_id is null)
          or (role in ('admin', 'viewer') and organization_id is not null)`,
      )
      .execute();
    await schema.createIndex("accounts_organization").on("accounts").columns(["organization_id", "email"]).execute();

    await schema
      .createTable("account_sessions")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("id", text, (column) => column.notNull().unique())
      .addColumn("account_id", text, (column) => column.notNull().references("accounts.id"))
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("last_seen", text, (column) => column.notNull())
      .addColumn("address", text, (column) => column.notNull())
      .addColumn("user_agent", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("account_sessions_account").on("account_sessions").columns(["account_id", "id"]).execute();

    await schema
      .createTable("account_links")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("account_id", text, (column) => column.notNull().references("accounts.id"))
      .addColumn("purpose", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("expires", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("account_links_account").on("account_links").column("account_id").execute();
  },
};
