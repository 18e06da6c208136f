import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Sign-ins are kept after they end, because only they say whose program used a key. */
export const endedSignIns: Migration = {
  name: "0027-ended-sign-ins",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    await transaction.schema.alterTable("sign_ins").addColumn("ended", sql.raw(engine.textType)).execute();
  },
};
