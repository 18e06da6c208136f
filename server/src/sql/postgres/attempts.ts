import { sql } from "kysely";
import type { AttemptStore } from "../../downloads/store.ts";
import { attemptToWire } from "../../downloads/wire.ts";
import { firstIdOf } from "../../ids.ts";
import { ATTEMPT_COLUMN_NAMES, ATTEMPT_COLUMNS } from "../attempt-columns.ts";
import { matches, toAttempt, toRow } from "../attempts.ts";
import type { Engine } from "../connection.ts";

export function postgresAttempts({ queries: db, given }: Pick<Engine, "queries" | "given">): AttemptStore {
  const attempts: AttemptStore = {
    async append(attempts) {
      const names = sql.join(ATTEMPT_COLUMN_NAMES.map((name) => sql.ref(name)));
      const rows = given(attempts.map(toRow), ATTEMPT_COLUMNS);
      await sql`insert into attempts (${names}) select ${names} from ${rows} on conflict (id) do nothing`.execute(db);
    },
    async list({ limit, ...filter }) {
      const found = db.selectFrom("attempts").selectAll().where(matches(filter)).orderBy("id", "desc").limit(limit);
      return (await found.execute()).map(toAttempt);
    },
    async page({ organizationId, before, limit }) {
      // One more than asked for tells whether there is a next page.
      const found = await attempts.list({ organizationId, limit: limit + 1, ...(before !== undefined && { before }) });
      const page = found.slice(0, limit);
      const json = page.map((attempt) => JSON.stringify(attemptToWire(attempt))).join();
      return { json, next: found.length > limit ? page.at(-1)?.id : undefined };
    },
    async removeBefore(time, limit) {
      const old = db.selectFrom("attempts").select("id").where("id", "<", firstIdOf(time)).orderBy("id").limit(limit);
      const { numDeletedRows } = await db.deleteFrom("attempts").where("id", "in", old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
  return attempts;
}
