import { sql } from "kysely";
import type { Migration } from "../migration.ts";

/** What publication has to know of builds and their files beyond what is handed out. */
export const publishing: Migration = {
  name: "0002-publishing",
  async up({ schema }, engine) {
    const text = sql.raw(engine.textType);
    await schema.alterTable("builds").addColumn("previous_build_id", text).execute();
    await schema.alterTable("builds").addColumn("superseded", text).execute();
    await schema.alterTable("build_files").addColumn("findings", text).execute();
  },
};
