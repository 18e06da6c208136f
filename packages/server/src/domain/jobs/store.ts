import type { JobSort, JobState } from "@dbdepot/contract/operator/jobs";
import type { Claim } from "../../platform/primitives/claim.ts";
import type { Page, PageRequest } from "../page.ts";
import type { AttemptResult, Job } from "./job.ts";
import type { JobName } from "./types.ts";

interface JobFilter {
  state?: JobState | undefined;
}

export type JobCount = Pick<Job, "type"> & { state: JobState; count: number };

export interface JobStore {
  /** Inserts a job, or does with the one of the same type and subject what the type says. */
  enqueue(job: Pick<Job, "id" | "type" | "subject" | "data" | "created" | "due">): Promise<void>;
  /** Removes the job, and ends the claim of the process that runs it. */
  remove(type: JobName, subject: string): Promise<void>;
  find<Name extends JobName>(type: Name, subject: string): Promise<Job<Name> | undefined>;
  byId(id: string): Promise<Job | undefined>;
  /** Newest first unless the request says otherwise. */
  page(filter: JobFilter, request: PageRequest<JobSort>, now: Date): Promise<Page<Job>>;
  counts(now: Date): Promise<JobCount[]>;
  /** Makes the job due, as if it had never been attempted. */
  restart(id: string, now: Date): Promise<void>;
  /** Removes jobs that failed before this time. */
  removeFailed(before: Date): Promise<void>;

  // The rest is bookkeeping, not a change in the sense of `Store.change`.

  /** The types that have a job which no process has claimed and which may begin. */
  dueTypes(now: Date): Promise<JobName[]>;
  /** Claims the next job of the type, unless as many of them are running as may run at once. */
  claim<Name extends JobName>(type: Name, claim: Claim, now: Date): Promise<Job<Name> | undefined>;
  /** Extends the claim. Returns false if it has ended. */
  extend(id: string, claim: Claim): Promise<boolean>;
  /** Ends the claim and stores how the attempt went. Does nothing if the claim has ended. */
  release(id: string, by: string, result: AttemptResult): Promise<void>;
  /** Removes the job. Does nothing if the claim has ended. */
  finish(id: string, by: string): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    jobs: JobStore;
  }
}
