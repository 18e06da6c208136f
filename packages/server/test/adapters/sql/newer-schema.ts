import type { TestDatabase } from "../../../../../rigs/harness/service/engines.ts";

/** Changes a database as a newer version would, on whose schema this one can still run. */
export async function migrateToFuture(query: TestDatabase["query"]): Promise<void> {
  await query("create table discoveries (id text primary key)");
  await query("insert into discoveries (id) values ('one')");
  for (const table of ["keys", "key_secrets", "builds", "build_files", "attempts", "revision", "manifests", "audit"]) {
    await query(`alter table ${table} add column discovery text`);
  }
  await query("insert into migrations (name, applied) values ('9999-from-the-future', '2099-01-01T00:00:00.000Z')");
}
