import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Documents that a licence may require an organization to accept, and who has accepted them. */
export const acceptedTerms: Migration = {
  name: "0026-terms",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("terms")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("version", "integer", (column) => column.notNull())
      .addColumn("title", text, (column) => column.notNull())
      .addColumn("text", text, (column) => column.notNull())
      .addColumn("size_bytes", "integer", (column) => column.notNull())
      .addColumn("sha256", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addUniqueConstraint("terms_name_version", ["name", "version"])
      .execute();
    await schema
      .alterTable("licences")
      .addColumn("terms_id", text, (column) => column.references("terms.id"))
      .execute();
    await schema
      .createTable("terms_acceptances")
      .addColumn("id", text, (column) => column.primaryKey())
      .addColumn("organization_id", text, (column) => column.notNull().references("organizations.id"))
      .addColumn("terms_id", text, (column) => column.notNull().references("terms.id"))
      .addColumn("sha256", text, (column) => column.notNull())
      .addColumn("account_id", text, (column) => column.notNull())
      .addColumn("name", text, (column) => column.notNull())
      .addColumn("email", text, (column) => column.notNull())
      .addColumn("address", text, (column) => column.notNull())
      .addColumn("created", text, (column) => column.notNull())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addUniqueConstraint("terms_acceptances_organization", ["organization_id", "terms_id"])
      .execute();
    await schema.createIndex("terms_acceptances_terms").on("terms_acceptances").column("terms_id").execute();
    await schema.createIndex("terms_acceptances_revision").on("terms_acceptances").column("revision").execute();
  },
};
