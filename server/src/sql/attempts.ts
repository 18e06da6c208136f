import type { Selectable } from "kysely";
import type { Attempt } from "../downloads/attempt.ts";
import type { AttemptStore } from "../downloads/store.ts";
import { firstIdOf } from "../ids.ts";
import type { Engine } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./time.ts";

type Row = Selectable<Schema["attempts"]>;

const COLUMNS = {
  id: "text",
  api: "text",
  organization_id: "text",
  key_id: "text",
  dataset_id: "text",
  format: "text",
  outcome: "text",
  cause: "text",
  bytes: "bigint",
  http_status: "bigint",
  build_id: "text",
  client_ip: "text",
  user_agent: "text",
  created: "text",
} as const satisfies Record<keyof Row, string>;

export function sqlAttempts({ queries: db, insertNew }: Engine): AttemptStore {
  return {
    async append(attempts) {
      await insertNew("attempts", attempts.map(toRow), COLUMNS);
    },
    async list({ organizationId, keyId, outcome, api, since, until, before, limit }) {
      let found = db.selectFrom("attempts").selectAll().orderBy("id", "desc").limit(limit);
      if (organizationId !== undefined) found = found.where("organization_id", "=", organizationId);
      if (keyId !== undefined) found = found.where("key_id", "=", keyId);
      if (outcome !== undefined) found = found.where("outcome", "=", outcome);
      if (api !== undefined) found = found.where("api", "=", api);
      if (since !== undefined) {
        // The second one is exact; the first lets the search end where older rows begin.
        found = found.where("id", ">=", firstIdOf(since)).where("created", ">=", toTime(since));
      }
      if (until !== undefined) found = found.where("created", "<", toTime(until));
      if (before !== undefined) found = found.where("id", "<", before);
      return (await found.execute()).map(toAttempt);
    },
    async removeBefore(time, limit) {
      const old = db.selectFrom("attempts").select("id").where("id", "<", firstIdOf(time)).orderBy("id").limit(limit);
      const { numDeletedRows } = await db.deleteFrom("attempts").where("id", "in", old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function toAttempt(row: Row): Attempt {
  return {
    id: row.id,
    api: row.api,
    organizationId: row.organization_id,
    keyId: row.key_id,
    datasetId: row.dataset_id,
    format: row.format,
    outcome: row.outcome,
    cause: row.cause,
    bytes: row.bytes,
    httpStatus: row.http_status,
    buildId: row.build_id,
    clientIp: row.client_ip,
    userAgent: row.user_agent,
    created: fromTime(row.created),
  };
}

function toRow(attempt: Attempt): Row {
  return {
    id: attempt.id,
    api: attempt.api,
    organization_id: attempt.organizationId,
    key_id: attempt.keyId,
    dataset_id: withoutNul(attempt.datasetId),
    format: withoutNul(attempt.format),
    outcome: attempt.outcome,
    cause: attempt.cause,
    bytes: attempt.bytes,
    http_status: attempt.httpStatus,
    build_id: attempt.buildId,
    client_ip: attempt.clientIp,
    user_agent: attempt.userAgent === null ? null : withoutNul(attempt.userAgent),
    created: toTime(attempt.created),
  };
}

/** What strangers send. Postgres's text holds no NUL: one such attempt would fail all that share its commit. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
