import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds the limits of organizations. Null: no limit. Registers find the organizations that changed by the index. */
export const limits: Migration = {
  name: "0025-limits",
  async up(transaction) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    for (const column of ["requests_per_minute", "downloads_per_day", "bytes_per_month", "parallel_streams"]) {
      await schema.alterTable("organizations").addColumn(column, "bigint").execute();
    }
    await schema.createIndex("organizations_revision").on("organizations").column("revision").execute();
  },
};
