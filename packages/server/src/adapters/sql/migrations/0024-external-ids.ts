import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** The ids that organizations and licences have in the vendor's other systems. Imports match customers by them. */
export const externalIds: Migration = {
  name: "0024-external-ids",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0006.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema.alterTable("organizations").addColumn("external_id", text).execute();
    await schema.alterTable("licences").addColumn("external_id", text).execute();
    // Both engines allow several rows without a value in a unique index.
    await schema.createIndex("organizations_external_id").unique().on("organizations").column("external_id").execute();
    await schema
      .createIndex("licences_external_id")
      .unique()
      .on("licences")
      .columns(["organization_id", "external_id"])
      .execute();
  },
};
