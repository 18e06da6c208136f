import type { Scope } from "@dbdepot/contract/shared/scopes";
import type { Metrics } from "../adapters/monitoring/metrics.ts";
import type { Event, EventPosition } from "../domain/events/event.ts";
import { type EventFeed, isAfter } from "../domain/events/feed.ts";
import { isFor } from "../domain/licences/audience.ts";
import type { Clock } from "../platform/primitives/clock.ts";
import type { Register } from "../register/register.ts";
import type { Watch } from "../register/watch.ts";
import type { EventStream } from "./event-stream.ts";

const CHECK_INTERVAL_MS = 1000;

/** Determines which events a reader may see. */
export interface Audience {
  organizationId: string;
  scopes: readonly Scope[];
}

export interface Reader {
  /** Identifies the key or account, which may have a limited number of streams. */
  callerId: string;
  audience: Audience;
  /** Whether `check` needs the database. If so, it is called less often. */
  isCheckSlow: boolean;
  /** Returns what the reader may see now, or undefined if its key or session is no longer accepted. */
  check(now: Date): Promise<Audience | undefined>;
}

interface Subscription {
  reader: Reader;
  stream: EventStream;
  audience: Audience;
  position: EventPosition | undefined;
}

export interface StreamLimits {
  total: () => number;
  perCaller: number;
  perOrganization: number;
  heartbeatMs: number;
}

export interface StreamServices {
  feed: EventFeed;
  register: Register;
  database: Pick<Watch, "isBeyondGrace">;
  metrics: Metrics;
  clock: Clock;
  onFailure(error: unknown): void;
}

/** All open event streams of this process. */
export class EventStreams {
  readonly #services: StreamServices;
  readonly #limits: StreamLimits;
  readonly #open = new Set<Subscription>();
  readonly #live = new Set<Subscription>();
  readonly #timer: NodeJS.Timeout;
  #lastSlowCheckMs = performance.now();
  #isClosed = false;

  constructor(services: StreamServices, limits: StreamLimits) {
    this.#services = services;
    this.#limits = limits;
    services.feed.subscribe((events) => {
      for (const subscription of this.#live) this.#deliver(subscription, events);
    });
    services.register.onChange(() => this.#checkAll(() => true));
    this.#timer = setInterval(() => this.#tick(), CHECK_INTERVAL_MS).unref();
  }

  /** Why no further stream can be opened. */
  refusalOf({ callerId, audience }: Pick<Reader, "callerId" | "audience">): "total" | "customer" | undefined {
    const { total, perCaller, perOrganization } = this.#limits;
    let ofCaller = 0;
    let ofOrganization = 0;
    for (const { reader } of this.#open) {
      if (reader.callerId === callerId) ofCaller += 1;
      if (reader.audience.organizationId === audience.organizationId) ofOrganization += 1;
    }
    if (ofCaller >= perCaller || ofOrganization >= perOrganization) return "customer";
    return this.#isClosed || this.#open.size >= total() ? "total" : undefined;
  }

  /** Sends the events after `position`, and all further ones as they happen. */
  open(stream: EventStream, reader: Reader, position: EventPosition | undefined): void {
    const { metrics, onFailure } = this.#services;
    const subscription: Subscription = { stream, reader, audience: reader.audience, position };
    this.#open.add(subscription);
    metrics.eventStreams.inc();
    stream.body.once("close", () => {
      this.#open.delete(subscription);
      this.#live.delete(subscription);
      metrics.eventStreams.dec();
      metrics.eventStreamsEnded.inc({ reason: stream.end });
    });
    if (position) {
      this.#catchUp(subscription, position).catch((error) => {
        onFailure(error);
        stream.close("outage");
      });
    } else {
      stream.sendReset();
      this.#live.add(subscription);
    }
  }

  /** Ends all streams, so that their clients reconnect to another server. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const { stream } of this.#open) stream.close("shutdown");
  }

  async #catchUp(subscription: Subscription, from: EventPosition): Promise<void> {
    const { stream } = subscription;
    const { feed } = this.#services;
    for (let position = from; stream.isOpen; ) {
      const to = feed.position;
      const events = await feed.between(position, to);
      this.#deliver(subscription, events);
      position = events.at(-1) ?? position;
      await stream.drained();
      // If the positions differ, the feed has sent further events to other streams in the meantime.
      if (events.length === 0 && feed.position === to) {
        this.#live.add(subscription);
        return;
      }
    }
  }

  #deliver(subscription: Subscription, events: readonly Event[]): void {
    const { metrics, clock } = this.#services;
    const now = clock();
    for (const event of events) {
      if (subscription.position && !isAfter(event, subscription.position)) continue;
      subscription.position = event;
      if (!this.#isVisible(event, subscription.audience, now)) continue;
      subscription.stream.send(event);
      metrics.eventsSent.inc({ type: event.type });
    }
  }

  #isVisible(event: Event, { organizationId, scopes }: Audience, now: Date): boolean {
    if (event.type.startsWith("key.") && !scopes.includes("apikeys.manage")) return false;
    const { register } = this.#services;
    const family = event.base === null ? undefined : register.family(event.base);
    const holding = family && { family, licences: register.licences(organizationId, family.base) };
    return isFor(event, organizationId, holding, now);
  }

  #tick(): void {
    const isSlowCheckDue = performance.now() - this.#lastSlowCheckMs >= this.#limits.heartbeatMs;
    if (isSlowCheckDue) this.#lastSlowCheckMs = performance.now();
    this.#checkAll(({ isCheckSlow }) => isSlowCheckDue || !isCheckSlow);
    const isOutage = this.#services.database.isBeyondGrace();
    for (const { stream } of this.#open) {
      if (isOutage) stream.close("outage");
      else stream.sendHeartbeat(this.#limits.heartbeatMs);
    }
  }

  #checkAll(isDue: (reader: Reader) => boolean): void {
    for (const subscription of this.#open) if (isDue(subscription.reader)) void this.#check(subscription);
  }

  async #check(subscription: Subscription): Promise<void> {
    try {
      const audience = await subscription.reader.check(this.#services.clock());
      if (audience) subscription.audience = audience;
      else subscription.stream.close("refused");
    } catch (error) {
      // The database is unreachable: the stream stays open until the grace period is over.
      this.#services.onFailure(error);
    }
  }
}
