import { HOUR_MS, MINUTE_MS } from "../../platform/primitives/dates.ts";

/** How the runner treats the jobs of a type. */
interface JobType<Data> {
  /** Two jobs of one type with the same subject do the same work, so only one of them is queued. */
  subjectOf(data: Data): string;
  /** Whether a job that is enqueued again keeps its place, or is replaced, which also ends the claim of the process that runs it. */
  ifQueued: "keep" | "replace";
  first: "newest" | "oldest";
  /** A job that was attempted so often has failed, and waits for an operator to retry it. */
  maxAttempts: number;
  /** The wait after the first failed attempt. It doubles after each further one. */
  retryMs: number;
  /** The longest wait (default: 6 hours). */
  maxRetryMs?: number;
  /** How many jobs may run at once: in one process, and in all of them together. */
  maxRunning: { perProcess: number; total: number };
  /** Set if the work is periodic: the job runs again after this time. It is retried until it succeeds. */
  everyMs?: number;
}

const jobType = <Data>(type: JobType<Data>): JobType<Data> => type;

/** Work that is not about a subject, and is done once a minute by one process. */
const periodic = (but: Partial<JobType<Record<string, never>>>): JobType<Record<string, never>> => ({
  subjectOf: () => "",
  ifQueued: "keep",
  first: "oldest",
  maxAttempts: Number.POSITIVE_INFINITY,
  retryMs: MINUTE_MS,
  maxRunning: { perProcess: 1, total: 1 },
  everyMs: MINUTE_MS,
  ...but,
});

/** Every type of job. `service/background.ts` lists what does their work. */
export const JOB_TYPES = {
  /** Finds out what changed between two builds. */
  compare_builds: jobType<{ from: string; to: string }>({
    subjectOf: ({ from, to }) => `${from} ${to}`,
    ifQueued: "keep",
    // Someone who has just published a build is waiting for it.
    first: "newest",
    maxAttempts: 3,
    retryMs: MINUTE_MS,
    maxRunning: { perProcess: 1, total: Number.POSITIVE_INFINITY },
  }),
  /** Makes the patches to a build that has become current. */
  make_patches: jobType<{ versionId: string; buildId: string }>({
    subjectOf: ({ versionId }) => versionId,
    // Patches to a build that is no longer current are useless.
    ifQueued: "replace",
    first: "oldest",
    maxAttempts: 7,
    retryMs: MINUTE_MS,
    // They need several times the memory of the files.
    maxRunning: { perProcess: 1, total: 1 },
  }),
  /** Tells a CDN to forget a withdrawn build. */
  purge_build: jobType<{ buildId: string }>({
    subjectOf: ({ buildId }) => buildId,
    ifQueued: "keep",
    first: "oldest",
    maxAttempts: 10,
    retryMs: MINUTE_MS / 6,
    maxRunning: { perProcess: 1, total: 1 },
  }),
  /** Writes the current build of a version as Parquet, and the changes since the previous version of the table. */
  write_tables: jobType<{ versionId: string; buildId: string }>({
    subjectOf: ({ versionId }) => versionId,
    // The next version of the table is always the current build.
    ifQueued: "replace",
    first: "oldest",
    maxAttempts: 3,
    retryMs: MINUTE_MS,
    maxRunning: { perProcess: 1, total: 1 },
  }),
  /** Removes Parquet files that are no longer offered. */
  remove_tables: periodic({}),
  /** Removes patches to builds that are no longer current. */
  remove_patches: periodic({}),
  /** Finds the buckets that lack a build, and requests deliveries to them. A change of a current build makes it due at once. */
  plan_deliveries: periodic({ ifQueued: "replace" }),
  /** Brings a bucket up to date. One job per bucket, so that a slow one does not delay the others. */
  deliver_builds: jobType<{ destinationId: string }>({
    subjectOf: ({ destinationId }) => destinationId,
    ifQueued: "keep",
    first: "oldest",
    // After 24 hours of failures the destination is paused, which ends its job.
    maxAttempts: Number.POSITIVE_INFINITY,
    retryMs: MINUTE_MS,
    maxRetryMs: HOUR_MS,
    // Each needs memory for three parts of a file.
    maxRunning: { perProcess: 6, total: Number.POSITIVE_INFINITY },
  }),
  /** Issues statements of freshness that are due. A change that needs a statement runs it at once. */
  renew_freshness: periodic({ ifQueued: "replace", retryMs: 5000, maxRetryMs: 5 * MINUTE_MS }),
};

export type JobName = keyof typeof JOB_TYPES;

/** The subject of a job of this type. It is stored as JSON. */
export type JobData<Name extends JobName> = Parameters<(typeof JOB_TYPES)[Name]["subjectOf"]>[0];

export const JOB_NAMES = Object.keys(JOB_TYPES) as JobName[];
