import type { EventType } from "@dbdepot/contract/v2/events";
import {
  WEBHOOKS_PER_ORGANIZATION as MAX_WEBHOOKS,
  WEBHOOK_DESCRIPTION_MAX_LENGTH,
} from "@dbdepot/contract/v2/webhooks";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { Fault, invalid, notFound } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import { record } from "../audit/audit.ts";
import type { EventPosition } from "../events/event.ts";
import type { Operation, Tables } from "../store.ts";
import { WebhookSecret } from "./secret.ts";
import { requireWebhookUrl } from "./url.ts";
import type { Webhook } from "./webhook.ts";

/** How long requests are signed with the old secret too after a rotation. */
const OVERLAP_MS = DAY_MS;
/** The position before every event. */
const BEGINNING: EventPosition = { revision: 0, id: "" };

export interface WebhookRequest {
  url: string;
  description?: string | undefined;
  eventTypes?: readonly EventType[] | null | undefined;
}

/** Undefined fields are not changed. */
export interface WebhookChanges {
  url?: string | undefined;
  description?: string | undefined;
  eventTypes?: readonly EventType[] | null | undefined;
  isEnabled?: boolean | undefined;
}

/** Finds what to change, inside the transaction, and checks that the caller may change it. */
export type WebhookSubject = (tables: Tables) => Promise<Webhook>;

/** The new webhook gets the events from now on. */
export async function createWebhook(
  operation: Operation,
  organizationOf: (tables: Tables) => Promise<{ id: string }>,
  request: WebhookRequest,
): Promise<Webhook> {
  const { store, now } = operation;
  return store.change(async (tables) => {
    const organizationId = (await organizationOf(tables)).id;
    const webhook: Webhook = {
      id: newId(now),
      organizationId,
      url: requireWebhookUrl(request.url, operation.rules?.webhookPrivateNetworks ?? []),
      description: requireDescription(request.description ?? ""),
      eventTypes: unique(request.eventTypes ?? null),
      secret: WebhookSecret.generate(),
      oldSecret: null,
      created: now,
      disabled: null,
      progress: {
        position: (await tables.events.latest()) ?? BEGINNING,
        attempts: 0,
        firstAttempt: null,
        nextAttempt: null,
        failingSince: null,
        lastDelivered: null,
      },
    };
    if ((await tables.webhooks.count(organizationId)) >= MAX_WEBHOOKS) {
      throw new Fault("too_many_webhooks", `the organization already has ${MAX_WEBHOOKS} webhooks: delete one first`);
    }
    await tables.webhooks.insert(webhook);
    await record(tables, operation, { action: "webhook.created", subject: webhook.id, after: audited(webhook) });
    return webhook;
  });
}

/** A webhook that is enabled again gets the events from now on. One with a new URL is no longer considered failing. */
export async function updateWebhook(
  operation: Operation,
  subject: WebhookSubject,
  changes: WebhookChanges,
): Promise<Webhook> {
  const { store, now } = operation;
  return store.change(async (tables) => {
    const before = await subject(tables);
    const after: Webhook = { ...before };
    if (changes.url !== undefined)
      after.url = requireWebhookUrl(changes.url, operation.rules?.webhookPrivateNetworks ?? []);
    if (changes.description !== undefined) after.description = requireDescription(changes.description);
    if (changes.eventTypes !== undefined) after.eventTypes = unique(changes.eventTypes);
    if (changes.isEnabled === false) after.disabled ??= { at: now, reason: "manual" };
    if (changes.isEnabled === true) after.disabled = null;
    const saved = await save(tables, operation, before, after, "webhook.updated");
    const isEnabledAgain = before.disabled !== null && after.disabled === null;
    if (!isEnabledAgain && after.url === before.url) return saved;
    await tables.webhooks.restart(after.id, isEnabledAgain ? await tables.events.latest() : undefined);
    return (await tables.webhooks.byId(after.id)) ?? saved;
  });
}

/** Issues a new secret. For a day, requests are signed with the old one too. */
export async function rotateWebhook(operation: Operation, subject: WebhookSubject): Promise<Webhook> {
  return operation.store.change(async (tables) => {
    const before = await subject(tables);
    const oldSecret = { secret: before.secret, until: new Date(operation.now.getTime() + OVERLAP_MS) };
    const after = { ...before, secret: WebhookSecret.generate(), oldSecret };
    return save(tables, operation, before, after, "webhook.rotated");
  });
}

/** Deletes the webhook and its delivery log. */
export async function deleteWebhook(operation: Operation, subject: WebhookSubject): Promise<Webhook> {
  return operation.store.change(async (tables) => {
    const webhook = await subject(tables);
    await tables.webhooks.remove(webhook.id);
    const deed = { subject: webhook.id, before: audited(webhook), after: null };
    await record(tables, operation, { action: "webhook.deleted", ...deed });
    return webhook;
  });
}

export async function save(
  tables: Tables,
  operation: Operation,
  before: Webhook,
  after: Webhook,
  action: "webhook.updated" | "webhook.rotated" | "webhook.disabled",
): Promise<Webhook> {
  await tables.webhooks.update(after);
  await record(tables, operation, { action, subject: after.id, before: audited(before), after: audited(after) });
  return after;
}

export async function requireWebhook(tables: Pick<Tables, "webhooks">, id: string): Promise<Webhook> {
  const webhook = isUuid(id) ? await tables.webhooks.byId(id.toLowerCase()) : undefined;
  if (!webhook) throw notFound("there is no such webhook");
  return webhook;
}

/** Another organization's webhook is reported like one that does not exist. */
export async function requireOwnWebhook(
  tables: Pick<Tables, "webhooks">,
  organizationId: string,
  id: string,
): Promise<Webhook> {
  const webhook = await requireWebhook(tables, id);
  if (webhook.organizationId !== organizationId) throw notFound("there is no such webhook");
  return webhook;
}

/** Omits the progress, which no person has changed. Secrets mask themselves. */
function audited({ progress: _, ...webhook }: Webhook): Omit<Webhook, "progress"> {
  return webhook;
}

function unique(types: readonly EventType[] | null): EventType[] | null {
  return types && [...new Set(types)];
}

function requireDescription(text: string): string {
  const trimmed = text.trim();
  const isLine = trimmed.isWellFormed() && !/\p{Cc}/u.test(trimmed);
  if (!isLine || [...trimmed].length > WEBHOOK_DESCRIPTION_MAX_LENGTH) {
    throw invalid(`a webhook's description must be one line of up to ${WEBHOOK_DESCRIPTION_MAX_LENGTH} characters`);
  }
  return trimmed;
}
