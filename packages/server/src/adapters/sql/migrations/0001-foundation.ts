import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** All nouns, the history and the audit log. */
export const foundation: Migration = {
  name: "0001-foundation",
  async up(db, engine) {
    const { schema } = db;
    const text = sql.raw(engine.textType);
    const bytes = sql.raw(engine.bytesType);
    await schema
      .createTable("revision")
      .addColumn("value", "bigint", (column) => column.notNull())
      .execute();
    await db.insertInto("revision").values({ value: 0 }).execute();

    await schema
      .createTable("organizations")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("name", text, (column) => column.notNull().unique())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .execute();

    await schema
      .createTable("families")
      .addColumn("base", text, (column) => column.primaryKey())
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("visibility", text, (column) => column.notNull().check(sql`visibility in ('public', 'private')`))
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .execute();

    await schema
      .createTable("versions")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("base", text, (column) => column.notNull().references("families.base"))
      .addColumn("number", "integer", (column) => column.notNull())
      .addColumn("summary", text, (column) => column.notNull())
      .addColumn("formats", text, (column) => column.notNull())
      .addColumn("current_build_id", text)
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addUniqueConstraint("versions_base_number", ["base", "number"])
      .execute();

    await schema
      .createTable("builds")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("version_id", text, (column) => column.notNull().references("versions.id"))
      .addColumn("state", text, (column) => column.notNull())
      .addColumn("metadata", bytes, (column) => column.notNull())
      .addColumn("updated", text, (column) => column.notNull())
      .addColumn("entries", "bigint", (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("published", text)
      .addColumn("withdrawn", text)
      .addColumn("revision", "bigint", (column) => column.notNull())
      .execute();
    await schema.createIndex("builds_version").on("builds").columns(["version_id", "id"]).execute();

    await schema
      .createTable("build_files")
      .addColumn("build_id", text, (column) => column.notNull().references("builds.id"))
      .addColumn("format", text, (column) => column.notNull())
      .addColumn("object_key", text, (column) => column.notNull().unique())
      .addColumn("size_bytes", "bigint", (column) => column.notNull())
      .addColumn("md5", text, (column) => column.notNull())
      .addColumn("sha1", text, (column) => column.notNull())
      .addColumn("sha256", text, (column) => column.notNull())
      .addColumn("sha512", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("build_files_pk", ["build_id", "format"])
      .execute();

    await schema
      .createTable("licences")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("organization_id", text, (column) => column.notNull().references("organizations.id"))
      .addColumn("base", text, (column) => column.notNull().references("families.base"))
      .addColumn("redistribution", text, (column) => column.notNull())
      .addColumn("starts", text, (column) => column.notNull())
      .addColumn("expires", text)
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .execute();
    await schema.createIndex("licences_organization").on("licences").columns(["organization_id", "base"]).execute();

    await schema
      .createTable("keys")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("organization_id", text, (column) => column.references("organizations.id"))
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("prefix", text, (column) => column.notNull().unique())
      .addColumn("scopes", text, (column) => column.notNull())
      .addColumn("cidrs", text, (column) => column.notNull())
      .addColumn("expires", text)
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("last_used", text)
      .addColumn("revoked", text)
      .addColumn("revision", "bigint", (column) => column.notNull())
      .execute();
    await schema.createIndex("keys_organization").on("keys").columns(["organization_id", "id"]).execute();

    await schema
      .createTable("key_secrets")
      .addColumn("hash", text, (column) => column.primaryKey())
      .addColumn("key_id", text, (column) => column.notNull().references("keys.id"))
      .addColumn("prefix", text, (column) => column.notNull().unique())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("expires", text)
      .execute();
    await schema.createIndex("key_secrets_key").on("key_secrets").column("key_id").execute();

    await schema
      .createTable("legacy_keys")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("organization_id", text, (column) => column.references("organizations.id"))
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("hash", text, (column) => column.notNull().unique())
      .addColumn("database_ids", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("last_used", text)
      .addColumn("revoked", text)
      .addColumn("revision", "bigint", (column) => column.notNull())
      .execute();

    // Attempts have no foreign keys, because they stay as evidence and every download writes one.
    await schema
      .createTable("attempts")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("api", text, (column) => column.notNull())
      .addColumn("organization_id", text)
      .addColumn("key_id", text)
      .addColumn("dataset_id", text, (column) => column.notNull())
      .addColumn("format", text, (column) => column.notNull())
      .addColumn("outcome", text, (column) => column.notNull())
      .addColumn("cause", text)
      .addColumn("bytes", "bigint")
      .addColumn("http_status", "integer", (column) => column.notNull())
      .addColumn("build_id", text)
      .addColumn("client_ip", text)
      .addColumn("user_agent", text)
      .addColumn("created", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("attempts_organization").on("attempts").columns(["organization_id", "id"]).execute();

    await schema
      .createTable("audit")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("actor", text, (column) => column.notNull())
      .addColumn("action", text, (column) => column.notNull())
      .addColumn("subject", text, (column) => column.notNull())
      .addColumn("before", text, (column) => column.notNull())
      .addColumn("after", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .execute();
    await schema.createIndex("audit_subject").on("audit").columns(["subject", "id"]).execute();

    for (const table of ["families", "versions", "builds", "licences", "keys", "legacy_keys"] as const) {
      await schema.createIndex(`${table}_revision`).on(table).column("revision").execute();
    }
  },
};
