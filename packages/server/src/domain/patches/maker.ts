import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import { type Claim, claimant, keepClaimed } from "../../platform/primitives/claim.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import type { Store } from "../store.ts";
import { ClaimEnded, giveUp, type JobOptions, runJob } from "./job.ts";
import type { PatchJob } from "./store.ts";

const POLL_MS = 2000;
const CLEANUP_MS = 60_000;
/** A job that failed is tried again after a minute, then after twice as long each time. */
const RETRY_MS = 60_000;
const MAX_ATTEMPTS = 7;
/** Replicas may offer superseded patches for another second, and clocks differ. */
const MARGIN_SECONDS = 60;

/** In the data directory, because the files may be too large for memory. */
export const PATCH_DIRECTORY = "patches";

/** Real files take seconds: only a file made to exhaust the server exceeds these. */
export const PATCH_LIMITS = { timeoutMs: 15 * 60_000, memoryMb: 2048 };

export interface MakerOptions extends JobOptions {
  /** How long links to superseded patches work. */
  linkTtlSeconds: number;
  onFailure(message: string, error: unknown): void;
}

/**
 * Makes patches in the background, and removes superseded ones. Every process runs one, but only one of them at a time
 * claims a job. With no bases, it makes none and leaves the jobs to others.
 */
export class PatchMaker {
  readonly #options: MakerOptions;
  readonly #claim: () => Claim;
  readonly #loop: BackgroundLoop;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MakerOptions) {
    this.#options = options;
    this.#claim = claimant(options.clock);
    this.#loop = new BackgroundLoop({
      run: () => this.#work(),
      intervalMs: POLL_MS,
      onOutage: (error) => options.onFailure("patches could not be made", error),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Interrupts the job that is running, which another process then continues. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #work(): Promise<void> {
    const { store, objects, clock, linkTtlSeconds, bases } = this.#options;
    if (performance.now() - this.#cleanedAt >= CLEANUP_MS) {
      this.#cleanedAt = performance.now();
      await removeSuperseded(store, objects, clock(), linkTtlSeconds);
    }
    if (bases > 0) await this.runNext();
  }

  /** Runs the next job, if one is due. Returns whether there was one. */
  async runNext(): Promise<boolean> {
    const { store, clock } = this.#options;
    if (!(await store.patches.isDue(clock()))) return false;
    const job = await store.change((tables) => tables.patches.claim(this.#claim(), clock()));
    if (!job) return false;
    await this.#run(job);
    return true;
  }

  async #run(job: PatchJob): Promise<void> {
    const { store, clock, onFailure } = this.#options;
    const ended = new AbortController();
    using _ = keepClaimed(async () => {
      if (!(await store.patches.extend(job, this.#claim()))) ended.abort(new ClaimEnded());
    });
    const signal = AbortSignal.any([this.#loop.signal, ended.signal]);
    const { by } = this.#claim();
    try {
      if (job.attempts > MAX_ATTEMPTS) {
        await giveUp(this.#options, job, { claim: this.#claim(), reason: `making it failed ${MAX_ATTEMPTS} times` });
      } else {
        await runJob(this.#options, job, { claim: this.#claim, signal });
      }
      await store.patches.finish(job, by);
    } catch (error) {
      if (error instanceof ClaimEnded) return;
      const isStopping = this.#loop.signal.aborted;
      const waitMs = isStopping ? 0 : RETRY_MS * 2 ** (job.attempts - 1);
      // An attempt that was interrupted by a restart does not count.
      const attempts = isStopping ? job.attempts - 1 : job.attempts;
      const nextAttempt = new Date(clock().getTime() + waitMs);
      await store.patches.release(job, by, { attempts, nextAttempt });
      if (!isStopping) onFailure(`patches of ${job.versionId} could not be made; retrying`, error);
    }
  }
}

/** Removes patches to builds that are no longer current, once all links to them have expired. */
export async function removeSuperseded(
  store: Store,
  objects: ObjectStore,
  now: Date,
  linkTtlSeconds: number,
): Promise<number> {
  const before = new Date(now.getTime() - (linkTtlSeconds + MARGIN_SECONDS) * 1000);
  if ((await store.patches.supersededBefore(before)).length === 0) return 0;
  const removed = await store.change(async (tables) => {
    // A rollback may have made a build current again.
    const patches = await tables.patches.supersededBefore(before);
    await tables.patches.remove(patches.map(({ id }) => id));
    return patches;
  });
  // If this fails, `builds sweep` removes them.
  for (const { file } of removed) if (file) await objects.remove(file.objectKey).catch(() => {});
  return removed.length;
}
