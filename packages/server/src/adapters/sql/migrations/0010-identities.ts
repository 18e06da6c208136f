import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds the identity of each account at an OpenID Connect provider. */
export const identities: Migration = {
  name: "0010-identities",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema.alterTable("accounts").addColumn("oidc_issuer", text).execute();
    await schema.alterTable("accounts").addColumn("oidc_subject", text).execute();
    await schema
      .createIndex("accounts_identity")
      .unique()
      .on("accounts")
      .columns(["oidc_issuer", "oidc_subject"])
      .execute();
  },
};
