import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** Adds the columns of builds and files that publishing needs. */
export const publishing: Migration = {
  name: "0002-publishing",
  async up({ schema }, engine) {
    const text = sql.raw(engine.textType);
    await schema.alterTable("builds").addColumn("previous_build_id", text).execute();
    await schema.alterTable("builds").addColumn("superseded", text).execute();
    await schema.alterTable("build_files").addColumn("findings", text).execute();
  },
};
