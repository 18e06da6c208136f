import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import type { Attempt } from "../downloads/attempt.ts";
import type { AttemptFilter } from "../downloads/store.ts";
import { firstIdOf } from "../ids.ts";
import type { AttemptRow } from "./attempt-columns.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./time.ts";

/** How attempts are stored; which tables they go to is the engines' own affair. */

/** Of any table with these columns. */
export function matches(filter: Omit<AttemptFilter, "limit">): Expression<SqlBool> {
  const { organizationId, keyId, outcome, api, since, until, before } = filter;
  const where = expressionBuilder<Schema, "attempts">();
  const conditions: Expression<SqlBool>[] = [];
  if (organizationId !== undefined) conditions.push(where("organization_id", "=", organizationId));
  if (keyId !== undefined) conditions.push(where("key_id", "=", keyId));
  if (outcome !== undefined) conditions.push(where("outcome", "=", outcome));
  if (api !== undefined) conditions.push(where("api", "=", api));
  if (since !== undefined) {
    // The second one is exact; the first lets the search end where older rows begin.
    conditions.push(where("id", ">=", firstIdOf(since)), where("created", ">=", toTime(since)));
  }
  if (until !== undefined) conditions.push(where("created", "<", toTime(until)));
  if (before !== undefined) conditions.push(where("id", "<", before));
  return where.and(conditions);
}

export function toAttempt(row: AttemptRow): Attempt {
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

/** Its fields are in the order of ATTEMPT_COLUMN_NAMES. */
export function toRow(attempt: Attempt): AttemptRow {
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
