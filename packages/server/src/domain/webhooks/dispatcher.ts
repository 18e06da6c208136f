import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import { type Claim, claimant } from "../../platform/primitives/claim.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { isQuiet } from "../backup/quiet.ts";
import type { Family } from "../catalogue/family.ts";
import type { Event } from "../events/event.ts";
import { isFor } from "../licences/audience.ts";
import type { Licence } from "../licences/licence.ts";
import type { Store } from "../store.ts";
import { deliver } from "./deliveries.ts";
import { eventMessage } from "./message.ts";
import { afterDelivery, handled } from "./progress.ts";
import type { Sender } from "./sender.ts";
import type { DueWebhook } from "./store.ts";
import type { DeliveryOutcome, DisabledReason, Progress, Webhook } from "./webhook.ts";
import { save } from "./webhooks.ts";

/** How often the database is asked for webhooks that are due. */
const POLL_MS = 1000;
const MAX_ACTIVE = 32;
/** Keeps an organization with slow receivers from delaying the events of others. */
const MAX_ACTIVE_PER_ORGANIZATION = 4;
const DUE_LIMIT = 200;
const EVENTS_PER_READ = 100;
/** After this many, the process releases the webhook, so that others are not delayed. */
const SENDS_PER_CLAIM = 20;

/** The register, as far as it decides who gets an event. */
interface AudienceRegister {
  readonly revision: number;
  family(base: string): Family | undefined;
  licences(organizationId: string, base: string): readonly Licence[];
  refresh(): Promise<void>;
}

export interface DispatcherOptions {
  store: Store;
  register: AudienceRegister;
  sender: Sender;
  clock: Clock;
  onDelivery(outcome: DeliveryOutcome): void;
  onFailure(message: string, error: unknown): void;
}

/**
 * Sends events to webhooks, in order for each of them. Every process runs one: a process claims a webhook before it
 * sends, so that no other sends the same events. If it crashes between sending and recording, the event is sent again
 * with the same id.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #claim: () => Claim;
  /** Webhooks being served by this process, with their organizations. */
  readonly #active = new Map<string, { organizationId: string; done: Promise<void> }>();
  readonly #loop: BackgroundLoop;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#claim = claimant(options.clock);
    this.#loop = new BackgroundLoop({
      run: () => this.#startDue(),
      intervalMs: POLL_MS,
      watched: { subject: options.register, delayMs: 0 },
      onOutage: (error) => options.onFailure("webhooks could not be sent", error),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Waits for requests in flight, which takes at most as long as their timeout. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all([...this.#active.values()].map(({ done }) => done));
  }

  async #startDue(): Promise<void> {
    const { store, clock, onFailure } = this.#options;
    // A request that is not sent must not count as a failure of the receiver.
    if (await isQuiet(store)) return;
    for (const due of await store.webhooks.due(clock(), DUE_LIMIT)) {
      if (this.#loop.signal.aborted || this.#active.size >= MAX_ACTIVE) return;
      if (this.#active.has(due.id) || this.#activeOf(due) >= MAX_ACTIVE_PER_ORGANIZATION) continue;
      const done = this.#serve(due.id)
        .catch((error) => onFailure("a webhook could not be served", error))
        .finally(() => {
          this.#active.delete(due.id);
          // Other webhooks may have waited for this one to finish.
          this.#loop.wake();
        });
      this.#active.set(due.id, { organizationId: due.organizationId, done });
    }
  }

  #activeOf({ organizationId }: DueWebhook): number {
    return [...this.#active.values()].filter((active) => active.organizationId === organizationId).length;
  }

  async #serve(id: string): Promise<void> {
    const { store, clock } = this.#options;
    const webhook = await store.webhooks.claim(id, this.#claim(), clock());
    if (!webhook) return;
    const { webhooks, events, organizations } = store;
    const isArchived = (await organizations.byId(webhook.organizationId))?.archived !== null;
    let { progress } = webhook;
    for (let sends = 0; sends < SENDS_PER_CLAIM && !this.#loop.signal.aborted; ) {
      const batch = await events.after(progress.position, EVENTS_PER_READ);
      const next = isArchived ? -1 : await this.#indexOfNext(webhook, batch);
      const skipped = batch.at(next === -1 ? -1 : next - 1);
      if (next !== 0 && skipped) {
        progress = handled(progress, skipped);
        if (!(await webhooks.advance(id, this.#claim(), progress))) return;
      }
      const event = batch[next];
      if (!event && batch.length < EVENTS_PER_READ) break;
      if (!event) continue;
      const after = await this.#send(webhook, progress, event);
      if (!after) return;
      progress = after;
      sends += 1;
    }
    await webhooks.release(id, this.#claim().by);
  }

  /** The first event that the webhook gets, or -1. */
  async #indexOfNext({ eventTypes, organizationId }: Webhook, batch: readonly Event[]): Promise<number> {
    const { register, clock } = this.#options;
    // Licences granted before an event must be known before it is decided who gets it.
    if (batch.some(({ revision }) => revision > register.revision)) await register.refresh();
    const now = clock();
    const holdingOf = (base: string) => {
      const family = register.family(base);
      return family && { family, licences: register.licences(organizationId, base) };
    };
    return batch.findIndex(
      (event) =>
        (eventTypes === null || eventTypes.includes(event.type)) &&
        isFor(event, organizationId, event.base === null ? undefined : holdingOf(event.base), now),
    );
  }

  /** Sends one event and records the result. Undefined: nothing more can be sent for now. */
  async #send(webhook: Webhook, progress: Progress, event: Event): Promise<Progress | undefined> {
    const { store, sender, clock, onDelivery } = this.#options;
    const now = clock();
    const attempt = progress.attempts + 1;
    const delivery = await deliver(sender, webhook, eventMessage(event), { now, attempt, trigger: "event" });
    const after = afterDelivery(progress, event, delivery, clock(), Math.random());
    onDelivery(after.outcome);
    await store.webhooks.addDelivery({ ...delivery, outcome: after.outcome });
    if (after.disable) {
      await this.#disable(webhook, after.progress, after.disable);
      return undefined;
    }
    if (!(await store.webhooks.advance(webhook.id, this.#claim(), after.progress))) return undefined;
    if (after.progress.nextAttempt === null) return after.progress;
    await store.webhooks.release(webhook.id, this.#claim().by);
    return undefined;
  }

  async #disable(webhook: Webhook, progress: Progress, reason: DisabledReason): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock();
    await store.change(async (tables) => {
      if (!(await tables.webhooks.advance(webhook.id, this.#claim(), progress))) return;
      const after = { ...webhook, disabled: { at: now, reason } };
      await save(tables, { store, actor: "service", now }, webhook, after, "webhook.disabled");
    });
  }
}
