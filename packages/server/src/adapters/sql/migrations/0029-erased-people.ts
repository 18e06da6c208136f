import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Keyed digests of the addresses of people who were erased, so that an import does not bring them back. */
export const erasedPeople: Migration = {
  name: "0029-erased-people",
  async up(transaction, engine) {
    // Locks this row for the reason given in migration 0009.
    await sql`update revision set value = value`.execute(transaction);
    const { schema } = transaction;
    const text = sql.raw(engine.textType);
    await schema
      .createTable("erasure_secret")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("secret", text, (column) => column.notNull())
      .execute();
    await schema
      .createTable("erased_people")
      .addColumn("digest", text, (column) => column.primaryKey())
      .execute();
  },
};
