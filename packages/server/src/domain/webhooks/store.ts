import type { WebhookSort } from "@dbdepot/contract/operator/webhooks";
import type { Claim } from "../../platform/primitives/claim.ts";
import type { EventPosition } from "../events/event.ts";
import type { OldRows } from "../old-rows.ts";
import type { Page, PageRequest } from "../page.ts";
import type { Delivery, LoggedDelivery, Progress, Webhook } from "./webhook.ts";

interface WebhookFilter {
  organizationId?: string | undefined;
}

interface DeliveryFilter {
  webhookId: string;
  /** Limits the list to deliveries older than the one with this id. */
  before?: string | undefined;
  limit: number;
}

/** A webhook whose next event may be sent now. */
export type DueWebhook = Pick<Webhook, "id" | "organizationId">;

interface Backlog {
  /** When the oldest event that an enabled webhook has not handled yet was created. */
  oldest: Date | undefined;
  /** Webhooks that were disabled because they failed. */
  disabled: number;
}

export interface WebhookStore {
  insert(webhook: Webhook): Promise<void>;
  byId(id: string): Promise<Webhook | undefined>;
  /** Newest first. */
  list(filter?: WebhookFilter): Promise<Webhook[]>;
  /** Newest first unless the request says otherwise. */
  page(filter: WebhookFilter, request: PageRequest<WebhookSort>): Promise<Page<Webhook>>;
  count(organizationId: string): Promise<number>;
  /** Writes everything but the progress, and ends the claim: what is being sent is not recorded as progress. */
  update(webhook: Webhook): Promise<void>;
  /** Makes the webhook due at once, as if it had not failed, and ends the claim. Continues after `position` if it is given. */
  restart(id: string, position?: EventPosition): Promise<void>;
  /** Removes the delivery log too. */
  remove(id: string): Promise<void>;

  // The rest is bookkeeping, not a change in the sense of `Store.change`.

  /** Enabled, unclaimed webhooks that have an event to handle. */
  due(now: Date, limit: number): Promise<DueWebhook[]>;
  /** Undefined if the webhook is no longer due, for example because another process has just claimed it. */
  claim(id: string, claim: Claim, now: Date): Promise<Webhook | undefined>;
  /** Stores the progress and extends the claim. Returns false if the claim has ended, and stores nothing. */
  advance(id: string, claim: Claim, progress: Progress): Promise<boolean>;
  release(id: string, by: string): Promise<void>;

  addDelivery(delivery: LoggedDelivery): Promise<void>;
  delivery(webhookId: string, id: string): Promise<LoggedDelivery | undefined>;
  /** Newest first. */
  deliveries(filter: DeliveryFilter): Promise<Delivery[]>;
  oldDeliveries: OldRows;
  backlog(): Promise<Backlog>;
}

declare module "../store.ts" {
  interface Tables {
    webhooks: WebhookStore;
  }
  interface Rules {
    /** CIDRs of private networks that webhooks may be sent to. */
    webhookPrivateNetworks: readonly string[];
  }
}
