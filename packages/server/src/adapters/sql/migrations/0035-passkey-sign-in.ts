import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Which passkeys sign in without a password, and the challenges of people who are still unknown. */
export const passkeySignIn: Migration = {
  name: "0035-passkey-sign-in",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .alterTable("account_passkeys")
      .addColumn("signs_in_alone", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable("passkey_challenges")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("challenge", text, (column) => column.notNull())
      .addColumn("expires", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("passkey_challenges_expires").on("passkey_challenges").column("expires").execute();
  },
};
