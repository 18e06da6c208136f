import type { OperatorJob } from "@dbdepot/contract/operator/jobs";
import { type Job, stateOf } from "./job.ts";

export function jobToWire(job: Job, now: Date): OperatorJob {
  const state = stateOf(job, now);
  return {
    id: job.id,
    type: job.type,
    subject: job.subject,
    state,
    attempts: job.attempts,
    next_attempt: state === "queued" ? job.due.toISOString() : null,
    error: job.error,
    failed: job.failed?.toISOString() ?? null,
    created: job.created.toISOString(),
  };
}
