import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds the requests of organizations for licences. */
export const accessRequests: Migration = {
  name: "0015-access-requests",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("access_requests")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("organization_id", text, (column) => column.notNull().references("organizations.id"))
      .addColumn("base", text, (column) => column.notNull().references("families.base"))
      .addColumn("person_email", text, (column) => column.notNull())
      .addColumn("person_name", text, (column) => column.notNull())
      .addColumn("message", text, (column) => column.notNull())
      .addColumn("state", text, (column) => column.notNull())
      .addColumn("reply", text)
      .addColumn("decided", text)
      .addColumn("licence_id", text, (column) => column.references("licences.id"))
      .addColumn("created", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("access_requests_state").on("access_requests").columns(["state", "id"]).execute();
    await schema
      .createIndex("access_requests_organization")
      .on("access_requests")
      .columns(["organization_id", "base", "id"])
      .execute();
  },
};
