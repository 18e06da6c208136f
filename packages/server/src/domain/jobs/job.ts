import type { JobState } from "@dbdepot/contract/operator/jobs";
import type { Claim } from "../../platform/primitives/claim.ts";
import { HOUR_MS } from "../../platform/primitives/dates.ts";
import { JOB_TYPES, type JobData, type JobName } from "./types.ts";

/** Work that was requested in the transaction of a change, and that a process does in the background. */
export interface Job<Name extends JobName = JobName> {
  id: string;
  type: Name;
  subject: string;
  data: JobData<Name>;
  created: Date;
  /** How often a process has claimed it. */
  attempts: number;
  /** When the next attempt may begin. */
  due: Date;
  /** Why the last attempt failed. */
  error: string | null;
  /** When the last attempt failed, after which only an operator can retry it. */
  failed: Date | null;
  /** Null if no process has claimed it. */
  claim: Claim | null;
}

/** How an attempt leaves the job. */
export type AttemptResult = Pick<Job, "attempts" | "due" | "error" | "failed">;

const MAX_DELAY_MS = 6 * HOUR_MS;

export function stateOf({ failed, claim }: Pick<Job, "failed" | "claim">, now: Date): JobState {
  if (failed) return "failed";
  return claim && claim.until > now ? "running" : "queued";
}

/** The job after an attempt that failed: due again later, or failed if that was the last attempt. */
export function afterFailure(
  { type, attempts, due }: Pick<Job, "type" | "attempts" | "due">,
  error: string,
  now: Date,
): AttemptResult {
  const {
    maxAttempts,
    retryMs,
    maxRetryMs = MAX_DELAY_MS,
  }: (typeof JOB_TYPES)[JobName] & { maxRetryMs?: number } = JOB_TYPES[type];
  if (attempts >= maxAttempts) return { attempts, due, error, failed: now };
  const waitMs = Math.min(retryMs * 2 ** (attempts - 1), maxRetryMs);
  return { attempts, due: new Date(now.getTime() + waitMs), error, failed: null };
}
