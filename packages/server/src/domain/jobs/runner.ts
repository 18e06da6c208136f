import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import { type Claim, claimant, keepClaimed } from "../../platform/primitives/claim.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { DAY_MS, HOUR_MS } from "../../platform/primitives/dates.ts";
import type { Store, Tables } from "../store.ts";
import { type AttemptResult, afterFailure, type Job } from "./job.ts";
import { enqueue } from "./jobs.ts";
import { JOB_TYPES, type JobData, type JobName } from "./types.ts";

/** How often the database is asked for jobs that are due. */
const POLL_MS = 2000;
const UPKEEP_MS = HOUR_MS;
const FAILED_KEPT_MS = 30 * DAY_MS;

/** Thrown when another process has taken over the job, or the job was replaced or removed. */
export class ClaimEnded extends Error {
  constructor() {
    super("the claim of the job has ended");
    this.name = "ClaimEnded";
  }
}

export interface JobContext {
  /** Aborted when the process stops, or when another one has taken over the job. */
  signal: AbortSignal;
  /** Stores results in one transaction. Throws ClaimEnded, and stores nothing, if this process no longer holds the job. */
  change<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
}

/** Does the work of one type of job. */
export interface JobHandler<Name extends JobName> {
  /**
   * Does the work, or what is left of it: a process that ended may have done a part. If this throws, the job is attempted
   * again later.
   */
  run(data: JobData<Name>, context: JobContext): Promise<void>;
  /** Called when the job has failed for good. */
  onFailed?(data: JobData<Name>): Promise<void>;
}

/** A process may leave the jobs of some types to others. */
export type JobHandlers = { [Name in JobName]?: JobHandler<Name> };

export interface RunnerOptions {
  store: Store;
  handlers: JobHandlers;
  clock: Clock;
  onFailure(message: string, error: unknown): void;
}

/**
 * Runs jobs in the background. Every process has one: a process claims a job, so that no other runs it, and extends the
 * claim while it works. If the process ends, the claim expires and another process attempts the job.
 */
export class JobRunner {
  readonly #options: RunnerOptions;
  readonly #claim: () => Claim;
  readonly #running = new Map<Promise<void>, JobName>();
  readonly #stopping = new AbortController();
  #loop: BackgroundLoop | undefined;
  #upkeepMs = Number.NEGATIVE_INFINITY;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#claim = claimant(options.clock);
  }

  /** Looks for jobs every two seconds, and soon after the register has changed. */
  start(register: { readonly revision: number }): void {
    this.#loop = new BackgroundLoop({
      run: () => this.#startDue(),
      intervalMs: POLL_MS,
      watched: { subject: register, delayMs: 0 },
      onOutage: (error) => this.#options.onFailure("jobs could not be started; retrying", error),
    });
    this.#loop.start();
  }

  /** Looks for jobs at once, for example because one was enqueued outside of a change. */
  wake(): void {
    this.#loop?.wake();
  }

  /** Interrupts the jobs that are running, which other processes then continue. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop?.stop();
    await Promise.all(this.#running.keys());
  }

  /** Runs the next job of a type to its end. Returns false if none is due. */
  async runNext(type: JobName): Promise<boolean> {
    const started = await this.#startNext(type);
    await started?.finished;
    return started !== undefined;
  }

  async #startDue(): Promise<void> {
    const { store, handlers, clock } = this.#options;
    await this.#keepUp();
    for (const type of await store.jobs.dueTypes(clock())) {
      if (handlers[type]) while (this.#hasRoom(type) && (await this.#startNext(type)));
    }
  }

  #hasRoom(type: JobName): boolean {
    const running = [...this.#running.values()].filter((name) => name === type).length;
    return !this.#stopping.signal.aborted && running < JOB_TYPES[type].maxRunning.perProcess;
  }

  /** Returns a promise for the end of the job. It never rejects. */
  async #startNext<Name extends JobName>(type: Name): Promise<{ finished: Promise<void> } | undefined> {
    const { store, clock, onFailure } = this.#options;
    const job = await store.jobs.claim(type, this.#claim(), clock());
    if (!job) return undefined;
    const finished = this.#run(job)
      .catch((error) => onFailure(`the result of the job ${nameOf(job)} could not be stored`, error))
      .finally(() => {
        this.#running.delete(finished);
        this.wake();
      });
    this.#running.set(finished, type);
    return { finished };
  }

  async #run<Name extends JobName>(job: Job<Name>): Promise<void> {
    const { store, handlers, clock, onFailure } = this.#options;
    const handler = handlers[job.type] as JobHandler<Name> | undefined;
    const { everyMs, maxAttempts } = JOB_TYPES[job.type] as (typeof JOB_TYPES)[JobName];
    const ended = new AbortController();
    const { by } = this.#claim();
    using _ = keepClaimed(async () => {
      if (!(await store.jobs.extend(job.id, this.#claim()))) ended.abort(new ClaimEnded());
    });
    const release = (result: Partial<AttemptResult>) =>
      store.jobs.release(job.id, by, { ...job, error: null, ...result });
    try {
      if (job.attempts > maxAttempts) throw new Error(job.error ?? "the server stopped each time while it ran");
      await handler?.run(job.data, {
        signal: AbortSignal.any([this.#stopping.signal, ended.signal]),
        change: (work) => this.#changeAs(job, work),
      });
      if (everyMs === undefined) await store.jobs.finish(job.id, by);
      else await release({ attempts: 0, due: new Date(clock().getTime() + everyMs) });
    } catch (error) {
      if (ended.signal.aborted || error instanceof ClaimEnded) return;
      // An attempt that was interrupted by a restart does not count.
      if (this.#stopping.signal.aborted) return release({ attempts: job.attempts - 1, due: clock(), error: job.error });
      const result = afterFailure(job, (error as Error).message, clock());
      if (result.failed) await handler?.onFailed?.(job.data);
      await store.jobs.release(job.id, by, result);
      onFailure(`the job ${nameOf(job)} failed${result.failed ? "" : "; retrying"}`, error);
    }
  }

  #changeAs<T>({ id }: Job, work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#options.store.change(async (tables) => {
      if (!(await tables.jobs.extend(id, this.#claim()))) throw new ClaimEnded();
      return work(tables);
    });
  }

  /** Enqueues periodic jobs for the first time, and removes those that failed long ago. */
  async #keepUp(): Promise<void> {
    if (performance.now() - this.#upkeepMs < UPKEEP_MS) return;
    const { store, handlers, clock } = this.#options;
    const now = clock();
    for (const type of Object.keys(handlers) as JobName[]) {
      if (JOB_TYPES[type].everyMs !== undefined) await enqueue(store, type, {}, now);
    }
    await store.jobs.removeFailed(new Date(now.getTime() - FAILED_KEPT_MS));
    this.#upkeepMs = performance.now();
  }
}

function nameOf({ type, subject }: Job): string {
  return subject === "" ? type : `${type} (${subject})`;
}
