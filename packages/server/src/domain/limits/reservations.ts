import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../platform/primitives/clock.ts";
import { within } from "../../platform/primitives/within.ts";
import {
  add,
  type Consumption,
  covers,
  decideReservation,
  type LimitRefusal,
  type Limits,
  type ReservationDecision,
  sizeOf,
  type Use,
} from "./limits.ts";
import type { LimitStore } from "./store.ts";

const TIMEOUT_MS = 2000;
/** How long a process grants downloads that it has reserved ahead. */
const AHEAD_MS = 2000;
/** How long a download waits for what other processes have reserved ahead, and may return. */
const WAIT_MS = 5000;
const POLL_MS = 100;
/** Longer than it takes to record a download. A process that crashes holds its reservations for this time. */
const EXPIRE_MS = 60_000;

/** A download that was reserved, or why it exceeds a limit. */
export type Reserved =
  | { refusal: LimitRefusal; history: Consumption }
  | {
      refusal?: undefined;
      /** The download is in the history. */
      settle(): void;
      /** The download was not granted after all. */
      giveBack(): void;
    };

/** A reservation for several downloads. */
interface Ahead {
  id: string;
  left: Consumption;
  /** How many downloads that were granted from it may not be in the history yet. */
  pending: number;
  isEnded: boolean;
  timer: NodeJS.Timeout;
}

/**
 * Reserves downloads in the database until they are in the history, so that all processes together never exceed a limit. As long
 * as less than 90 % of it is used, a process reserves 1 % of the limit at a time and counts in memory.
 */
export class Reservations {
  readonly #store: LimitStore;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  readonly #ahead = new Map<string, Ahead>();
  /** Downloads of an organization reserve one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #releases = new Set<Promise<void>>();
  #lastFailure: { atMs: number; error: unknown } | undefined;

  constructor(store: LimitStore, clock: Clock, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  async stop(): Promise<void> {
    for (const [organizationId, ahead] of this.#ahead) this.#end(organizationId, ahead);
    await Promise.all(this.#releases);
  }

  /** Fails if the database is unreachable. */
  reserve(organizationId: string, limits: Limits, id: string, use: Use): Promise<Reserved> {
    const queuedMs = performance.now();
    const take = () => {
      // Downloads that wait for each other must not all wait for the same outage.
      if (this.#lastFailure && this.#lastFailure.atMs >= queuedMs) throw this.#lastFailure.error;
      return this.#take(organizationId, limits, id, use);
    };
    const turn = (this.#turns.get(organizationId) ?? Promise.resolve()).then(take, take);
    this.#turns.set(organizationId, turn);
    const forget = () => {
      if (this.#turns.get(organizationId) === turn) this.#turns.delete(organizationId);
    };
    turn.then(forget, forget);
    return turn;
  }

  async #take(organizationId: string, limits: Limits, id: string, use: Use): Promise<Reserved> {
    const size = sizeOf(use);
    const ahead = this.#ahead.get(organizationId);
    if (ahead && covers(limits, ahead.left, size)) return this.#takeFrom(ahead, size);
    if (ahead) this.#end(organizationId, ahead);
    for (const startMs = performance.now(); ; await delay(POLL_MS)) {
      const decided = await this.#decide(organizationId, limits, id, use);
      if (decided.refusal) {
        if (!decided.isTemporary || performance.now() - startMs > WAIT_MS) return decided;
      } else if (decided.ahead) return this.#takeFrom(this.#open(organizationId, id, decided.ahead), size);
      else return { settle() {}, giveBack: () => this.#release(id) };
    }
  }

  async #decide(organizationId: string, limits: Limits, id: string, use: Use): Promise<ReservationDecision> {
    const now = this.#clock();
    const result: { decided?: ReservationDecision } = {};
    const reserving = this.#store.reserve(organizationId, now, (counted) => {
      const decided = decideReservation(limits, counted, use);
      result.decided = decided;
      if (decided.refusal) return undefined;
      const amount = decided.ahead ?? sizeOf(use);
      const expires = new Date(now.getTime() + EXPIRE_MS);
      return { ...amount, id: decided.ahead ? aheadId(id) : id, isAhead: decided.ahead !== undefined, expires };
    });
    try {
      await within(TIMEOUT_MS, reserving);
    } catch (error) {
      this.#lastFailure = { atMs: performance.now(), error };
      throw error;
    }
    return result.decided as ReservationDecision;
  }

  #open(organizationId: string, id: string, amount: Consumption): Ahead {
    const timer = setTimeout(() => this.#end(organizationId, ahead), AHEAD_MS).unref();
    const ahead: Ahead = { id: aheadId(id), left: { ...amount }, pending: 0, isEnded: false, timer };
    this.#ahead.set(organizationId, ahead);
    return ahead;
  }

  #takeFrom(ahead: Ahead, size: Consumption): Reserved {
    add(ahead.left, size, -1);
    ahead.pending += 1;
    const settle = () => {
      ahead.pending -= 1;
      if (ahead.isEnded && ahead.pending === 0) this.#release(ahead.id);
    };
    return {
      settle,
      giveBack: () => {
        add(ahead.left, size, 1);
        settle();
      },
    };
  }

  #end(organizationId: string, ahead: Ahead): void {
    clearTimeout(ahead.timer);
    if (this.#ahead.get(organizationId) === ahead) this.#ahead.delete(organizationId);
    if (ahead.isEnded) return;
    ahead.isEnded = true;
    if (ahead.pending === 0) this.#release(ahead.id);
  }

  #release(id: string): void {
    const release = this.#store.release(id).catch(this.#onFailure);
    this.#releases.add(release);
    void release.finally(() => this.#releases.delete(release));
  }
}

/** Differs from the id of the attempt, whose place in the history would end the reservation. */
function aheadId(id: string): string {
  return `ahead ${id}`;
}
