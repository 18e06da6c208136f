import { JobList, JobsQuery, OperatorJob } from "@dbdepot/contract/operator/jobs";
import { retryJob } from "../../domain/jobs/jobs.ts";
import { jobToWire } from "../../domain/jobs/wire.ts";
import { endpoint } from "../endpoint.ts";
import { listPage } from "../page.ts";

export const JOB_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/jobs",
    scope: "operator.read",
    summary: "List work in the background",
    description:
      "Returns the jobs that are queued or running, and those that failed in the last 30 days: comparing builds, making patches, and periodic work.",
    query: JobsQuery,
    response: JobList,
    async respond(context) {
      const { services, query, now } = context;
      const page = await listPage(context, (request) => services.store.jobs.page({ state: query.state }, request, now));
      return { jobs: page.map((job) => jobToWire(job, now)) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/jobs/:id/retry",
    scope: "operator.write",
    summary: "Retry a job",
    description: "Attempts a job that failed, or that waits for its next attempt, at once.",
    response: OperatorJob,
    async respond({ services, operation, id, now }) {
      const job = await retryJob(operation, id);
      services.jobs.wake();
      return jobToWire(job, now);
    },
  }),
];
