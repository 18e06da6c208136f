import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { Created, listOf, textOrNull, timeOrNull } from "./fields.ts";
import { closedQuery, listParameters } from "./queries.ts";

/** Work in the background, in /api/operator and `dbdepot-server jobs … --json`. */

export const JOB_STATES = ["queued", "running", "failed"] as const;
export type JobState = (typeof JOB_STATES)[number];

const State = Type.Enum([...JOB_STATES], {
  description: "A job that failed is not attempted again until someone retries it. Jobs that succeed are removed.",
});

export const OperatorJob = closedObject("OperatorJob", "Work that a server does in the background.", {
  id: Type.String({ format: "uuid" }),
  type: Type.String({ description: "The kind of work.", examples: ["make_patches"] }),
  subject: Type.String({
    description: "What it is about: a version, or the ids of two builds. Empty for periodic work.",
    examples: ["vpn_ip_v1"],
  }),
  state: State,
  attempts: Type.Integer({ description: "How often it has been attempted." }),
  next_attempt: timeOrNull("When it is attempted next, or null if it is running or has failed."),
  error: textOrNull("Why the last attempt failed, or null if it did not."),
  failed: timeOrNull("When the last attempt failed, or null if the job has not failed."),
  created: Created,
});
export type OperatorJob = Static<typeof OperatorJob>;

export const JOB_SORTS = ["type", "subject", "created"] as const;
export type JobSort = (typeof JOB_SORTS)[number];

export const JobsQuery = closedQuery({
  state: Type.Optional(Type.Enum([...JOB_STATES], { description: "Only jobs in this state." })),
  ...listParameters(JOB_SORTS, "the type, the subject, the error and the id"),
});
export type JobsQuery = Static<typeof JobsQuery>;

export const JobList = closedObject("JobList", "One page of jobs.", {
  jobs: listOf(OperatorJob, "Newest first unless `sort` says otherwise."),
});
export type JobList = Static<typeof JobList>;
