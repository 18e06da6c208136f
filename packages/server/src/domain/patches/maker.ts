import { randomUUID } from "node:crypto";
import type { ObjectStore } from "../builds/object-store.ts";
import type { Store } from "../store.ts";
import { ClaimEnded, giveUp, type JobOptions, runJob } from "./job.ts";
import type { JobClaim, PatchJob } from "./store.ts";

const POLL_MS = 2000;
const CLEANUP_MS = 60_000;
/** After a crash, another process continues after this time. */
const CLAIM_MS = 60_000;
const EXTEND_MS = 15_000;
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
  readonly #process = randomUUID();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #cleanedAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  constructor(options: MakerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule();
  }

  /** Interrupts the job that is running, which another process then continues. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#working;
  }

  #schedule(): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#work().finally(() => this.#schedule());
    }, POLL_MS);
    this.#timer.unref();
  }

  async #work(): Promise<void> {
    const { store, objects, clock, linkTtlSeconds, bases, onFailure } = this.#options;
    try {
      if (performance.now() - this.#cleanedAt >= CLEANUP_MS) {
        this.#cleanedAt = performance.now();
        await removeSuperseded(store, objects, clock(), linkTtlSeconds);
      }
      if (bases > 0) await this.runNext();
      this.#isFailing = false;
    } catch (error) {
      // An outage is reported once, not at every poll.
      if (!this.#isFailing) onFailure("patches could not be made", error);
      this.#isFailing = true;
    }
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
    const extend = async () => {
      if (!(await store.patches.extend(job, this.#claim()))) ended.abort(new ClaimEnded());
    };
    // If the database is unreachable, recording the next patch fails.
    const timer = setInterval(() => void extend().catch(() => {}), EXTEND_MS);
    const signal = AbortSignal.any([this.#stopping.signal, ended.signal]);
    try {
      if (job.attempts > MAX_ATTEMPTS) {
        await giveUp(this.#options, job, { claim: this.#claim(), reason: `making it failed ${MAX_ATTEMPTS} times` });
      } else {
        await runJob(this.#options, job, { claim: () => this.#claim(), signal });
      }
      await store.patches.finish(job, this.#process);
    } catch (error) {
      if (error instanceof ClaimEnded) return;
      const isStopping = this.#stopping.signal.aborted;
      const waitMs = isStopping ? 0 : RETRY_MS * 2 ** (job.attempts - 1);
      // An attempt that was interrupted by a restart does not count.
      const attempts = isStopping ? job.attempts - 1 : job.attempts;
      const nextAttempt = new Date(clock().getTime() + waitMs);
      await store.patches.release(job, this.#process, { attempts, nextAttempt });
      if (!isStopping) onFailure(`patches of ${job.versionId} could not be made; retrying`, error);
    } finally {
      clearInterval(timer);
    }
  }

  #claim(): JobClaim {
    return { by: this.#process, until: new Date(this.#options.clock().getTime() + CLAIM_MS) };
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
