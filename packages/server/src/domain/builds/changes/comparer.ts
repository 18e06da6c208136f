import { setTimeout as delay } from "node:timers/promises";
import { BackgroundLoop } from "../../../platform/primitives/background-loop.ts";
import { type Claim, claimant, keepClaimed } from "../../../platform/primitives/claim.ts";
import type { Clock } from "../../../platform/primitives/clock.ts";
import type { Store } from "../../store.ts";
import type { Build } from "../build.ts";
import { NoSuchObject, type ObjectStore } from "../object-store.ts";
import { compareBuilds, notCompared } from "./comparison.ts";
import type { Outcome } from "./outcome.ts";
import type { BuildPair } from "./store.ts";

/** How often the database is asked for pairs to compare. */
const POLL_MS = 10_000;
/** Publications are compared after this time at the latest. */
const SETTLE_MS = 2000;
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
  readonly #claim: () => Claim;
  readonly #loop: BackgroundLoop;

  constructor(options: ComparerOptions) {
    this.#options = options;
    this.#claim = claimant(options.clock);
    this.#loop = new BackgroundLoop({
      run: () => this.#compareAll(),
      intervalMs: POLL_MS,
      watched: { subject: options.register, delayMs: SETTLE_MS },
      onOutage: (error) => options.onFailure("builds could not be compared; retrying", error),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Stops the running comparison. Another process, or the next start, makes it. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** The changes between two builds, which are compared if that has not happened yet. Undefined after `waitMs`. */
  async changes(pair: BuildPair, waitMs: number): Promise<Outcome | undefined> {
    const { changes } = this.#options.store;
    const found = await changes.find(pair);
    if (found) return found;
    await changes.request(pair, this.#options.clock());
    this.#loop.wake();
    for (const start = performance.now(); performance.now() - start < waitMs; ) {
      await delay(WAIT_POLL_MS);
      const outcome = await changes.find(pair);
      if (outcome) return outcome;
    }
    return undefined;
  }

  /** If a comparison fails, it is made again when its claim has ended. */
  async #compareAll(): Promise<void> {
    while (!this.#loop.signal.aborted && (await this.#compareNext()));
  }

  /** Returns false if there is nothing to compare. */
  async #compareNext(): Promise<boolean> {
    const { store, clock, onCompared } = this.#options;
    const pair = await store.changes.claim(this.#claim(), clock());
    if (!pair) return false;
    using _ = keepClaimed(() => store.changes.extend(pair, this.#claim()));
    const outcome =
      pair.attempts > MAX_ATTEMPTS
        ? notCompared("comparing the builds failed several times")
        : await this.#compare(pair);
    const { by } = this.#claim();
    if (outcome) {
      await store.changes.finish(pair, by, outcome);
      onCompared(outcome.state);
    } else await store.changes.release(pair, by);
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
      return await compareBuilds(objects, { before, after }, AbortSignal.any([this.#loop.signal, timeout]));
    } catch (error) {
      if (this.#loop.signal.aborted) return undefined;
      if (timeout.aborted) return notCompared("comparing the builds took more than 15 minutes");
      if (error instanceof NoSuchObject) return notCompared("the files of one of the builds are no longer kept");
      throw error;
    }
  }
}
