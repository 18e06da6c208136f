import type { WebhookSort } from "@dbdepot/contract/operator/webhooks";
import { type Selectable, sql } from "kysely";
import type { HttpContent } from "../../domain/webhooks/content.ts";
import { WebhookSecret } from "../../domain/webhooks/secret.ts";
import type { WebhookStore } from "../../domain/webhooks/store.ts";
import type { Delivery, LoggedDelivery, Progress, Webhook } from "../../domain/webhooks/webhook.ts";
import { isFree, sqlClaims, UNCLAIMED } from "./claims.ts";
import type { Queries } from "./connection.ts";
import { oldRows } from "./old-rows.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, toTime } from "./values.ts";

type WebhookRow = Schema["webhook_endpoints"];
type DeliveryRow = Schema["webhook_deliveries"];

/** The columns of the list, without the contents, which can be long. */
const DELIVERY_COLUMNS = [
  "id",
  "webhook_id",
  "event_id",
  "event_type",
  "attempt",
  "trigger",
  "outcome",
  "http_status",
  "error",
  "duration_ms",
  "created",
] as const satisfies (keyof DeliveryRow)[];

/** Ids begin with the time of creation. */
const ID = sql.ref<string>("webhook_endpoints.id");

const COLUMNS: ListColumns<WebhookSort> = {
  sorts: {
    url: sql<string>`lower(webhook_endpoints.url)`,
    organization: sql<string>`lower(organizations.name)`,
    created: ID,
    last_delivered: sql<string>`coalesce(webhook_endpoints.last_delivered, '')`,
  },
  default: "-created",
  id: ID,
  searched: [
    sql.ref("webhook_endpoints.url"),
    sql.ref("webhook_endpoints.description"),
    ID,
    sql.ref("organizations.name"),
  ],
};

export function sqlWebhooks(db: Queries): WebhookStore {
  const claims = sqlClaims(db, "webhook_endpoints");
  const webhooks: WebhookStore = {
    async insert(webhook) {
      const row = { ...toSettingsRow(webhook), ...toProgressRow(webhook.progress), ...UNCLAIMED };
      await db.insertInto("webhook_endpoints").values(row).execute();
    },
    async byId(id) {
      const row = await db.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toWebhook(row);
    },
    list: async (filter = {}) => (await webhooks.page(filter, {})).items,
    async page({ organizationId }, request) {
      let found = db
        .selectFrom("webhook_endpoints")
        .innerJoin("organizations", "organizations.id", "webhook_endpoints.organization_id")
        .selectAll("webhook_endpoints");
      if (organizationId !== undefined) found = found.where("webhook_endpoints.organization_id", "=", organizationId);
      return selectPage(found, COLUMNS, request, toWebhook);
    },
    async count(organizationId) {
      const { count } = await db
        .selectFrom("webhook_endpoints")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("organization_id", "=", organizationId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async update(webhook) {
      const row = { ...toSettingsRow(webhook), ...UNCLAIMED };
      await db.updateTable("webhook_endpoints").set(row).where("id", "=", webhook.id).execute();
    },
    async restart(id, position) {
      const place = position && { position_revision: position.revision, position_id: position.id };
      await db
        .updateTable("webhook_endpoints")
        .set({ ...place, attempts: 0, first_attempt: null, next_attempt: null, failing_since: null, ...UNCLAIMED })
        .where("id", "=", id)
        .execute();
    },
    async remove(id) {
      await db.deleteFrom("webhook_deliveries").where("webhook_id", "=", id).execute();
      await db.deleteFrom("webhook_endpoints").where("id", "=", id).execute();
    },
    async due(now, limit) {
      const { rows } = await sql<{ id: string; organizationId: string }>`
        select id, organization_id as "organizationId" from webhook_endpoints
        where ${isDue(now)} and ${isFree(now)}
          and (position_revision, position_id) < (select revision, id from events order by revision desc, id desc limit 1)
        order by coalesce(next_attempt, ''), id limit ${limit}`.execute(db);
      return rows;
    },
    async claim(id, claim, now) {
      const row = await claims.claim(id, claim, now, isDue(now));
      return row && toWebhook(row);
    },
    advance: (id, claim, progress) => claims.extend(id, claim, toProgressRow(progress)),
    release: (id, by) => claims.release(id, by),
    async addDelivery(delivery) {
      await db.insertInto("webhook_deliveries").values(toDeliveryRow(delivery)).execute();
    },
    async delivery(webhookId, id) {
      const row = await db
        .selectFrom("webhook_deliveries")
        .selectAll()
        .where("id", "=", id)
        .where("webhook_id", "=", webhookId)
        .executeTakeFirst();
      return row && { ...toDelivery(row), request: parse(row.request), response: parse(row.response) };
    },
    async deliveries({ webhookId, before, limit }) {
      let found = db
        .selectFrom("webhook_deliveries")
        .select(DELIVERY_COLUMNS)
        .where("webhook_id", "=", webhookId)
        .orderBy("id", "desc")
        .limit(limit);
      if (before !== undefined) found = found.where("id", "<", before);
      return (await found.execute()).map(toDelivery);
    },
    oldDeliveries: oldRows(db, "webhook_deliveries"),
    async backlog() {
      const { rows } = await sql<{ oldest: string | null; disabled: number }>`
        select
          min(case when disabled is null then (
            select created from events where (revision, id) > (position_revision, position_id)
            order by revision, id limit 1
          ) end) as oldest,
          count(case when disabled_reason in ('failing', 'gone') then 1 end) as disabled
        from webhook_endpoints`.execute(db);
      const { oldest = null, disabled = 0 } = rows[0] ?? {};
      return { oldest: fromTime(oldest) ?? undefined, disabled: Number(disabled) };
    },
  };
  return webhooks;
}

function isDue(now: Date) {
  return sql<boolean>`disabled is null and (next_attempt is null or next_attempt <= ${toTime(now)})`;
}

function toSettingsRow(webhook: Webhook) {
  const { disabled, oldSecret } = webhook;
  return {
    id: webhook.id,
    organization_id: webhook.organizationId,
    url: webhook.url,
    description: webhook.description,
    event_types: webhook.eventTypes && JSON.stringify(webhook.eventTypes),
    secret: webhook.secret.reveal(),
    old_secret: oldSecret?.secret.reveal() ?? null,
    old_secret_until: toTime(oldSecret?.until ?? null),
    created: toTime(webhook.created),
    disabled: toTime(disabled?.at ?? null),
    disabled_reason: disabled?.reason ?? null,
  } satisfies Partial<WebhookRow>;
}

function toProgressRow(progress: Progress) {
  return {
    position_revision: progress.position.revision,
    position_id: progress.position.id,
    attempts: progress.attempts,
    first_attempt: toTime(progress.firstAttempt),
    next_attempt: toTime(progress.nextAttempt),
    failing_since: toTime(progress.failingSince),
    last_delivered: toTime(progress.lastDelivered),
  } satisfies Partial<WebhookRow>;
}

function toWebhook(row: Selectable<WebhookRow>): Webhook {
  const { old_secret: old, old_secret_until: until, disabled, disabled_reason: reason } = row;
  return {
    id: row.id,
    organizationId: row.organization_id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types === null ? null : JSON.parse(row.event_types),
    secret: new WebhookSecret(row.secret),
    oldSecret: old === null || until === null ? null : { secret: new WebhookSecret(old), until: fromTime(until) },
    created: fromTime(row.created),
    disabled: disabled === null || reason === null ? null : { at: fromTime(disabled), reason },
    progress: {
      position: { revision: row.position_revision, id: row.position_id },
      attempts: row.attempts,
      firstAttempt: fromTime(row.first_attempt),
      nextAttempt: fromTime(row.next_attempt),
      failingSince: fromTime(row.failing_since),
      lastDelivered: fromTime(row.last_delivered),
    },
  };
}

function toDeliveryRow({
  webhookId,
  eventId,
  eventType,
  httpStatus,
  durationMs,
  created,
  request,
  response,
  ...row
}: LoggedDelivery): DeliveryRow {
  return {
    ...row,
    webhook_id: webhookId,
    event_id: eventId,
    event_type: eventType,
    http_status: httpStatus,
    duration_ms: durationMs,
    created: toTime(created),
    request: request && JSON.stringify(request),
    response: response && JSON.stringify(response),
  };
}

function parse(json: string | null): HttpContent | null {
  return json === null ? null : JSON.parse(json);
}

function toDelivery(row: Pick<Selectable<DeliveryRow>, (typeof DELIVERY_COLUMNS)[number]>): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    attempt: row.attempt,
    trigger: row.trigger,
    outcome: row.outcome,
    httpStatus: row.http_status,
    error: row.error,
    durationMs: row.duration_ms,
    created: fromTime(row.created),
  };
}
