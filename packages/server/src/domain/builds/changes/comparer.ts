import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../platform/primitives/clock.ts";
import type { Store } from "../../store.ts";
import type { Build } from "../build.ts";
import { NoSuchObject, type ObjectStore } from "../object-store.ts";
import { compareBuilds, notCompared } from "./comparison.ts";
import type { Outcome } from "./outcome.ts";
import type { BuildPair, ComparisonClaim } from "./store.ts";

/** How often the revision in memory is compared, and how often the database is asked for pairs to compare. */
const TICK_MS = 250;
const POLL_MS = 10_000;
/** Publications are compared after this time at the latest. */
const SETTLE_MS = 2000;
/** After a crash, another process continues after this time. */
const CLAIM_MS = 60_000;
const EXTEND_MS = 20_000;
const MAX_ATTEMPTS = 3;
/** Comparing 5 million sorted rows takes less than a minute. */
const TIMEOUT_MS = 15 * 60_000;
const WAIT_POLL_MS = 100;

export interface ComparerOptions {
  store: Store;
  objects: ObjectStore;
  register: { readonly revision: number };
  clock: Clock;
  onCompared(result: Outcome["state"]): void;
  onFailure(message: string, error: unknown): void;
}

/**
 * Compares builds in the background, one pair at a time. Every process runs one: a process claims a pair, so that no
 * other compares it. A pair that was requested is compared even if processes crash meanwhile.
 */
export class Comparer {
  readonly #options: ComparerOptions;
  readonly #process = randomUUID();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #seenRevision = -1;
  #polledAt = performance.now();
  #isFailing = false;

  constructor(options: ComparerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#tick().finally(() => this.start());
    }, TICK_MS);
    this.#timer.unref();
  }

  /** Stops the running comparison. Another process, or the next start, makes it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#working;
  }

  /** The changes between two builds, which are compared if that has not happened yet. Undefined after `waitMs`. */
  async changes(pair: BuildPair, waitMs: number): Promise<Outcome | undefined> {
    const { changes } = this.#options.store;
    const found = await changes.find(pair);
    if (found) return found;
    await changes.request(pair, this.#options.clock());
    this.#polledAt = Number.NEGATIVE_INFINITY;
    for (const start = performance.now(); performance.now() - start < waitMs; ) {
      await delay(WAIT_POLL_MS);
      const outcome = await changes.find(pair);
      if (outcome) return outcome;
    }
    return undefined;
  }

  async #tick(): Promise<void> {
    const { register, onFailure } = this.#options;
    const elapsed = performance.now();
    if (elapsed - this.#polledAt < (register.revision === this.#seenRevision ? POLL_MS : SETTLE_MS)) return;
    this.#seenRevision = register.revision;
    this.#polledAt = elapsed;
    try {
      while (!this.#stopping.signal.aborted && (await this.#compareNext())) this.#isFailing = false;
    } catch (error) {
      // An outage is reported once, not at every poll. The claim ends after a minute.
      if (!this.#isFailing) onFailure("builds could not be compared; retrying", error);
      this.#isFailing = true;
    }
  }

  /** Returns false if there is nothing to compare. */
  async #compareNext(): Promise<boolean> {
    const { store, clock, onCompared } = this.#options;
    const pair = await store.changes.claim(this.#claim(), clock());
    if (!pair) return false;
    const extend = setInterval(() => void store.changes.extend(pair, this.#claim()).catch(() => {}), EXTEND_MS);
    try {
      const outcome =
        pair.attempts > MAX_ATTEMPTS
          ? notCompared("comparing the builds failed several times")
          : await this.#compare(pair);
      if (outcome) {
        await store.changes.finish(pair, this.#process, outcome);
        onCompared(outcome.state);
      } else await store.changes.release(pair, this.#process);
    } finally {
      clearInterval(extend);
    }
    return true;
  }

  /** Undefined if this process stops. */
  async #compare({ from, to }: BuildPair): Promise<Outcome | undefined> {
    const { store, objects } = this.#options;
    const builds = new Map<string, Build>((await store.builds.byIds([from, to])).map((build) => [build.id, build]));
    const [before, after] = [builds.get(from), builds.get(to)];
    if (!before || !after) return notCompared("one of the builds does not exist");
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await compareBuilds(objects, { before, after }, AbortSignal.any([this.#stopping.signal, timeout]));
    } catch (error) {
      if (this.#stopping.signal.aborted) return undefined;
      if (timeout.aborted) return notCompared("comparing the builds took more than 15 minutes");
      if (error instanceof NoSuchObject) return notCompared("the files of one of the builds are no longer kept");
      throw error;
    }
  }

  #claim(): ComparisonClaim {
    return { by: this.#process, until: new Date(this.#options.clock().getTime() + CLAIM_MS) };
  }
}
