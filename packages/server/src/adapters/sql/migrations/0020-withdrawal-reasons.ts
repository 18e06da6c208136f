import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds why a build was withdrawn, which customers see. */
export const withdrawalReasons: Migration = {
  name: "0020-withdrawal-reasons",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema.alterTable("builds").addColumn("withdrawn_reason", sql.raw(engine.textType)).execute();
  },
};
