import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** The origin that an organization's links point to, if the vendor's CDN has several. */
export const linkRegions: Migration = {
  name: "0041-link-regions",
  async up(transaction) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema.alterTable("organizations").addColumn("link_region", "text").execute();
  },
};
