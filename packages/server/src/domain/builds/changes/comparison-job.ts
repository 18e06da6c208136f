import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../platform/primitives/clock.ts";
import { MINUTE_MS } from "../../../platform/primitives/dates.ts";
import { enqueue } from "../../jobs/jobs.ts";
import type { JobHandler } from "../../jobs/runner.ts";
import type { Store } from "../../store.ts";
import type { Build } from "../build.ts";
import { NoSuchObject, type ObjectStore } from "../object-store.ts";
import { compareBuilds, notCompared } from "./comparison.ts";
import type { Outcome } from "./outcome.ts";
import type { BuildPair } from "./store.ts";

/** Comparing 5 million sorted rows takes less than a minute. */
const TIMEOUT_MS = 15 * MINUTE_MS;
const WAIT_POLL_MS = 100;

interface ComparisonOptions {
  store: Store;
  objects: ObjectStore;
  clock: Clock;
  onCompared(result: Outcome["state"]): void;
}

/** Compares the two builds of a job and stores the outcome. */
export function comparisonJob({ store, objects, clock, onCompared }: ComparisonOptions): JobHandler<"compare_builds"> {
  const save = async (pair: BuildPair, outcome: Outcome) => {
    await store.changes.save(pair, outcome, clock());
    onCompared(outcome.state);
  };
  return {
    async run(pair, { signal }) {
      const builds = await store.builds.byIds([pair.from, pair.to]);
      const [before, after] = [pair.from, pair.to].map((id) => builds.find((build) => build.id === id));
      // A staged build was discarded.
      if (!before || !after) return;
      await save(pair, await compare(objects, { before, after }, signal));
    },
    onFailed: (pair) => save(pair, notCompared("comparing the builds failed several times")),
  };
}

async function compare(
  objects: ObjectStore,
  builds: { before: Build; after: Build },
  signal: AbortSignal,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await compareBuilds(objects, builds, AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (signal.aborted) throw error;
    if (timeout.aborted) return notCompared("comparing the builds took more than 15 minutes");
    if (error instanceof NoSuchObject) return notCompared("the files of one of the builds are no longer kept");
    throw error;
  }
}

/** The changes between two builds, for other jobs, which do not wait for the one that compares them. */
export async function outcomeOf(
  { store, objects, clock }: Pick<ComparisonOptions, "store" | "objects" | "clock">,
  pair: BuildPair,
  builds: { before: Build; after: Build },
  signal: AbortSignal,
): Promise<Outcome> {
  const found = await store.changes.find(pair);
  if (found) return found;
  const outcome = await compare(objects, builds, signal);
  await store.changes.save(pair, outcome, clock());
  return outcome;
}

/** The changes between two builds, which are compared if that has not happened yet. Undefined after `waitMs`. */
export async function changesBetween(
  { store, clock, jobs }: { store: Store; clock: Clock; jobs: { wake(): void } },
  pair: BuildPair,
  waitMs: number,
): Promise<Outcome | undefined> {
  const found = await store.changes.find(pair);
  if (found) return found;
  await enqueue(store, "compare_builds", pair, clock());
  jobs.wake();
  for (const start = performance.now(); performance.now() - start < waitMs; ) {
    await delay(WAIT_POLL_MS);
    const outcome = await store.changes.find(pair);
    if (outcome) return outcome;
  }
  return undefined;
}
