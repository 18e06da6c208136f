import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds patches between builds, the queue of those to make, and whether an attempt was for a patch. */
export const patches: Migration = {
  name: "0019-patches",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("patches")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addColumn("version_id", text, (column) => column.notNull().references("versions.id"))
      .addColumn("build_id", text, (column) => column.notNull().references("builds.id"))
      .addColumn("base_build_id", text)
      .addColumn("format", text, (column) => column.notNull())
      .addColumn("base_sha256", text, (column) => column.notNull())
      .addColumn("object_key", text)
      .addColumn("size_bytes", "bigint")
      .addColumn("sha256", text)
      .addColumn("reason", text)
      .addColumn("duration_ms", "bigint", (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("patches_build").on("patches").column("build_id").execute();
    await schema
      .createTable("patch_jobs")
      .addColumn("version_id", text, (column) => column.primaryKey().references("versions.id"))
      .addColumn("build_id", text, (column) => column.notNull().references("builds.id"))
      .addColumn("queued", text, (column) => column.notNull())
      .addColumn("attempts", "bigint", (column) => column.notNull())
      .addColumn("next_attempt", text)
      .addColumn("claimed_by", text)
      .addColumn("claimed_until", text)
      .execute();
    await schema
      .alterTable("attempts")
      .addColumn("patch", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
