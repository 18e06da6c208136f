import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds the versions that are shared as tables, the versions of those tables, and their Parquet files. */
export const sharedTables: Migration = {
  name: "0040-shared-tables",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .alterTable("versions")
      .addColumn("tables", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable("shared_tables")
      .addColumn("version_id", text, (column) => column.notNull().references("versions.id"))
      .addColumn("number", "integer", (column) => column.notNull())
      .addColumn("build_id", text, (column) => column.notNull().references("builds.id"))
      .addColumn("base_build_id", text)
      .addColumn("columns", text, (column) => column.notNull())
      .addColumn("no_changes", text)
      .addColumn("change_files", "integer", (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("shared_tables_key", ["version_id", "number"])
      .execute();
    await schema
      .createTable("shared_files")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("version_id", text, (column) => column.notNull().references("versions.id"))
      .addColumn("build_id", text, (column) => column.notNull().references("builds.id"))
      .addColumn("content", text, (column) => column.notNull())
      .addColumn("number", "integer")
      .addColumn("object_key", text, (column) => column.notNull())
      .addColumn("size_bytes", "bigint", (column) => column.notNull())
      .addColumn("sha256", text, (column) => column.notNull())
      .addColumn("rows", "bigint", (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("obsolete", text)
      .execute();
    await schema.createIndex("shared_files_build").on("shared_files").column("build_id").execute();
    await schema.createIndex("shared_files_obsolete").on("shared_files").column("obsolete").execute();
  },
};
