import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds the organization whose console an operator views in a session. */
export const views: Migration = {
  name: "0014-views",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema
      .alterTable("account_sessions")
      .addColumn("viewed_organization_id", sql.raw(engine.textType), (column) => column.references("organizations.id"))
      .execute();
  },
};
