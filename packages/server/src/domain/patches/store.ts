import type { Claim } from "../../platform/primitives/claim.ts";
import type { Patch } from "./patch.ts";

/** The patches to the current build of a version are to be made. A version has at most one job. */
export interface PatchJob {
  versionId: string;
  buildId: string;
  queued: Date;
  /** How often a process has claimed it. */
  attempts: number;
  /** Null if the job may begin at once. */
  nextAttempt: Date | null;
  /** Null if no process has claimed it. */
  claim: Claim | null;
}

export interface PatchStore {
  insert(patch: Patch): Promise<void>;
  /** Dropped patches included, in the order in which they were made. */
  ofBuilds(buildIds: readonly string[]): Promise<Patch[]>;
  /** Patches to builds that were replaced before this time and are not current. */
  supersededBefore(time: Date): Promise<Patch[]>;
  remove(ids: readonly string[]): Promise<void>;
  /** Which of these patches exist. */
  existing(ids: readonly string[]): Promise<Set<string>>;

  /** Replaces the version's job, and ends the claim of a process that makes patches to another build. */
  queue(job: Pick<PatchJob, "versionId" | "buildId" | "queued">): Promise<void>;
  /** Removes the job of a version that has no current build any more. */
  unqueue(versionId: string): Promise<void>;
  /** Oldest first. */
  jobs(): Promise<PatchJob[]>;
  /** Whether `claim` would return a job. */
  isDue(now: Date): Promise<boolean>;
  /**
   * Claims the oldest job that is due, unless a job is claimed already: patches are made one at a time. Only within
   * `Store.change`, so that exactly one process succeeds.
   */
  claim(claim: Claim, now: Date): Promise<PatchJob | undefined>;
  /** Extends the claim. Returns false if it has ended. */
  extend(job: PatchJob, claim: Claim): Promise<boolean>;
  /** Ends the claim. The job is due again at `nextAttempt`. Does nothing if the claim has ended. */
  release(job: PatchJob, by: string, next: { attempts: number; nextAttempt: Date }): Promise<void>;
  /** Removes the job. Does nothing if the claim has ended. */
  finish(job: PatchJob, by: string): Promise<void>;
}
