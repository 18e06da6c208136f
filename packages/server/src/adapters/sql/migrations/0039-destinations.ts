import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds buckets of customers, what is in them, and the log of deliveries. */
export const destinations: Migration = {
  name: "0039-destinations",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("delivery_permissions")
      .addColumn("organization_id", text, (column) => column.primaryKey().references("organizations.id"))
      .addColumn("external_id", text, (column) => column.notNull())
      .addColumn("allowed", text)
      .execute();
    await schema
      .createTable("destinations")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("organization_id", text, (column) => column.notNull().references("organizations.id"))
      .addColumn("bucket", text, (column) => column.notNull())
      .addColumn("prefix", text, (column) => column.notNull())
      .addColumn("region", text, (column) => column.notNull())
      .addColumn("endpoint", text)
      .addColumn("access", text, (column) => column.notNull())
      .addColumn("role_arn", text)
      .addColumn("access_key_id", text)
      .addColumn("sealed_secret", text)
      .addColumn("encryption", text)
      .addColumn("description", text, (column) => column.notNull())
      .addColumn("families", text)
      .addColumn("formats", text)
      .addColumn("keep", "bigint", (column) => column.notNull())
      .addColumn("ownership_token", text, (column) => column.notNull())
      .addColumn("verified", text)
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("paused", text)
      .addColumn("paused_reason", text)
      .addColumn("failing_since", text)
      .addColumn("error", text)
      .addColumn("last_delivered", text)
      .execute();
    await schema
      .createIndex("destinations_organization")
      .on("destinations")
      .columns(["organization_id", "id"])
      .execute();
    await schema
      .createTable("destination_databases")
      .addColumn("destination_id", text, (column) => column.notNull().references("destinations.id"))
      .addColumn("version_id", text, (column) => column.notNull())
      .addColumn("build_id", text)
      .addColumn("contents", text, (column) => column.notNull())
      .addColumn("sequence", "bigint", (column) => column.notNull())
      .addColumn("refusal", text)
      .addPrimaryKeyConstraint("destination_databases_key", ["destination_id", "version_id"])
      .execute();
    await schema
      .createTable("destination_builds")
      .addColumn("destination_id", text, (column) => column.notNull().references("destinations.id"))
      .addColumn("build_id", text, (column) => column.notNull())
      .addColumn("version_id", text, (column) => column.notNull())
      .addColumn("files", text, (column) => column.notNull())
      .addColumn("marked", text)
      .addPrimaryKeyConstraint("destination_builds_key", ["destination_id", "build_id"])
      .execute();
    await schema
      .createTable("destination_deliveries")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("destination_id", text, (column) => column.notNull())
      .addColumn("version_id", text, (column) => column.notNull())
      .addColumn("build_id", text)
      .addColumn("outcome", text, (column) => column.notNull())
      .addColumn("files", "bigint", (column) => column.notNull())
      .addColumn("bytes", "bigint", (column) => column.notNull())
      .addColumn("problem", text)
      .addColumn("error", text)
      .addColumn("duration_ms", "bigint", (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .execute();
    await schema
      .createIndex("destination_deliveries_destination")
      .on("destination_deliveries")
      .columns(["destination_id", "id"])
      .execute();
    await schema.createIndex("destination_deliveries_created").on("destination_deliveries").column("created").execute();
  },
};
