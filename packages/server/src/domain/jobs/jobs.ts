import { conflict, notFound } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import { type Job, stateOf } from "./job.ts";
import { JOB_TYPES, type JobData, type JobName } from "./types.ts";

/** Requests work that a process does later. In a transaction, the work is requested exactly if the change is made. */
export async function enqueue<Name extends JobName>(
  { jobs }: Pick<Tables, "jobs">,
  type: Name,
  data: JobData<Name>,
  now: Date,
): Promise<void> {
  const { subjectOf } = JOB_TYPES[type] as { subjectOf(data: JobData<Name>): string };
  await jobs.enqueue({ id: newId(now), type, subject: subjectOf(data), data, created: now, due: now });
}

async function requireJob({ jobs }: Pick<Tables, "jobs">, id: string): Promise<Job> {
  const job = isUuid(id) ? await jobs.byId(id.toLowerCase()) : undefined;
  if (!job) throw notFound("there is no such job: it may have been done in the meantime");
  return job;
}

/** Attempts a job that failed, or that waits for its next attempt, as soon as a process is free. */
export async function retryJob(operation: Operation, id: string): Promise<Job> {
  const { store, now } = operation;
  return store.change(async (tables) => {
    const job = await requireJob(tables, id);
    if (stateOf(job, now) === "running") throw conflict("the job is running");
    await tables.jobs.restart(job.id, now);
    const { type, subject, attempts, error } = job;
    await record(tables, operation, {
      action: "job.retried",
      subject: job.id,
      before: { type, subject, attempts, error },
      after: { type, subject },
    });
    return requireJob(tables, id);
  });
}
