import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** When a family, version or organization was archived. */
export const archiving: Migration = {
  name: "0006-archiving",
  async up({ schema }, engine) {
    for (const table of ["families", "versions", "organizations"] as const) {
      await schema.alterTable(table).addColumn("archived", sql.raw(engine.textType)).execute();
    }
  },
};
