import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Keeps what was sent to a webhook and what its receiver responded. */
export const deliveryContents: Migration = {
  name: "0016-delivery-contents",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema.alterTable("webhook_deliveries").addColumn("request", text).execute();
    await schema.alterTable("webhook_deliveries").addColumn("response", text).execute();
  },
};
