import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/**
 * SQLite only: back to one table. Since 0004 every attempt was written to `attempts` and later copied to
 * `attempts_by_organization`; now an index finds an organization's attempts. The unused column `number` stays, because
 * removing it would copy every row.
 *
 * A server of the previous version may still be running. It appends to `attempts` as before.
 * `attempts_by_organization`, which it reads and writes, is now a view whose triggers ignore writes, so nothing is lost
 * or stored twice. A later migration can drop the view and `attempts_filed`.
 */
export const oneAttemptsTable: Migration = {
  name: "0005-one-attempts-table",
  async up(db, { name }) {
    if (name !== "sqlite") return;
    const columns = `id, api, organization_id, key_id, dataset_id, format, outcome, cause, bytes, http_status, build_id,
      client_ip, user_agent, created`;
    const steps = [
      // Every copy should still have its original. If an original is missing, its copy is restored.
      `insert into attempts (${columns}) select ${columns} from attempts_by_organization
       where id not in (select id from attempts)`,
      "drop table attempts_by_organization",
      "create index attempts_organization on attempts (organization_id, id)",
      `create view attempts_by_organization as select ${columns} from attempts where organization_id is not null`,
      `create trigger attempts_by_organization_insert instead of insert on attempts_by_organization begin select 1; end`,
      `create trigger attempts_by_organization_delete instead of delete on attempts_by_organization begin select 1; end`,
    ];
    for (const step of steps) await sql.raw(step).execute(db);
  },
};
