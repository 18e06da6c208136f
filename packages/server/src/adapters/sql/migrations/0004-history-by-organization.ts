import { sql } from "kysely";
import type { Migration } from "../connection.ts";

/** SQLite only: numbers attempts in the order of their arrival and stores a copy sorted by organization. Undone by 0005. */
export const historyByOrganization: Migration = {
  name: "0004-history-by-organization",
  async up(db, { name }) {
    if (name !== "sqlite") return;
    const columns = `
      api text not null, organization_id text, key_id text, dataset_id text not null, format text not null,
      outcome text not null, cause text, bytes bigint, http_status integer not null, build_id text, client_ip text,
      user_agent text, created text not null`;
    const names = `id, api, organization_id, key_id, dataset_id, format, outcome, cause, bytes, http_status, build_id,
      client_ip, user_agent, created`;
    const steps = [
      "alter table attempts rename to attempts_before",
      // "autoincrement" never reuses a number, even if the newest attempts were deleted.
      `create table attempts (number integer primary key autoincrement, id text not null unique, ${columns})`,
      `insert into attempts (${names}) select ${names} from attempts_before order by id`,
      "drop table attempts_before",
      `create table attempts_by_organization (id text not null, ${columns}, primary key (organization_id, id)) without rowid`,
      `insert into attempts_by_organization (${names}) select ${names} from attempts
       where organization_id is not null order by organization_id, id`,
      "create table attempts_filed (through integer not null)",
      "insert into attempts_filed select coalesce(max(number), 0) from attempts",
    ];
    for (const step of steps) await sql.raw(step).execute(db);
  },
};
