import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds webhooks and the log of their requests. */
export const webhooks: Migration = {
  name: "0012-webhooks",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("webhook_endpoints")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("organization_id", text, (column) => column.notNull().references("organizations.id"))
      .addColumn("url", text, (column) => column.notNull())
      .addColumn("description", text, (column) => column.notNull())
      .addColumn("event_types", text)
      .addColumn("secret", text, (column) => column.notNull())
      .addColumn("old_secret", text)
      .addColumn("old_secret_until", text)
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("disabled", text)
      .addColumn("disabled_reason", text)
      .addColumn("position_revision", "bigint", (column) => column.notNull())
      .addColumn("position_id", text, (column) => column.notNull())
      .addColumn("attempts", "bigint", (column) => column.notNull())
      .addColumn("first_attempt", text)
      .addColumn("next_attempt", text)
      .addColumn("failing_since", text)
      .addColumn("last_delivered", text)
      .addColumn("claimed_by", text)
      .addColumn("claimed_until", text)
      .execute();
    await schema
      .createIndex("webhook_endpoints_organization")
      .on("webhook_endpoints")
      .columns(["organization_id", "id"])
      .execute();
    await schema
      .createTable("webhook_deliveries")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("webhook_id", text, (column) => column.notNull())
      .addColumn("event_id", text, (column) => column.notNull())
      .addColumn("event_type", text, (column) => column.notNull())
      .addColumn("attempt", "bigint", (column) => column.notNull())
      .addColumn("trigger", text, (column) => column.notNull())
      .addColumn("outcome", text, (column) => column.notNull())
      .addColumn("http_status", "bigint")
      .addColumn("error", text)
      .addColumn("duration_ms", "bigint", (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .execute();
    await schema
      .createIndex("webhook_deliveries_webhook")
      .on("webhook_deliveries")
      .columns(["webhook_id", "id"])
      .execute();
    await schema.createIndex("webhook_deliveries_created").on("webhook_deliveries").column("created").execute();
  },
};
