import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Passkeys and recovery codes of accounts, and sign-ins that wait for one of them. */
export const passkeys: Migration = {
  name: "0017-passkeys",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema.alterTable("account_sessions").addColumn("second_factor", text).execute();
    await schema
      .createTable("account_passkeys")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("account_id", text, (column) => column.notNull().references("accounts.id"))
      .addColumn("credential_id", text, (column) => column.notNull().unique())
      .addColumn("public_key", text, (column) => column.notNull())
      .addColumn("counter", "bigint", (column) => column.notNull())
      .addColumn("transports", text, (column) => column.notNull())
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("last_used", text)
      .execute();
    await schema.createIndex("account_passkeys_account").on("account_passkeys").columns(["account_id", "id"]).execute();
    await schema
      .createTable("account_recovery_codes")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("account_id", text, (column) => column.notNull().references("accounts.id"))
      .execute();
    await schema
      .createIndex("account_recovery_codes_account")
      .on("account_recovery_codes")
      .column("account_id")
      .execute();
    await schema
      .createTable("account_challenges")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("account_id", text, (column) => column.notNull().references("accounts.id"))
      .addColumn("purpose", text, (column) => column.notNull())
      .addColumn("challenge", text, (column) => column.notNull())
      .addColumn("expires", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("account_challenges_account").on("account_challenges").column("account_id").execute();
  },
};
