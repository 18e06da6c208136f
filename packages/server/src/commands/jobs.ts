import { JOB_SORTS } from "@dbdepot/contract/operator/jobs";
import { type Command, examples, note } from "@dbdepot/terminal/command";
import { formatTime } from "@dbdepot/terminal/format";
import { type Job, stateOf } from "../domain/jobs/job.ts";
import { retryJob } from "../domain/jobs/jobs.ts";
import { jobToWire } from "../domain/jobs/wire.ts";
import type { Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";

export function addJobCommands(program: Command, run: Run): void {
  const jobs = program.command("jobs").description("Show and retry work in the background");

  jobs
    .command("list")
    .description("List jobs that are queued, running or failed")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(JOB_SORTS))
    .addHelpText("after", note("Jobs that succeed are removed from the list, and failed ones after 30 days."))
    .action(
      run(async ({ output, store: openStore, clock }, request) => {
        const store = await openStore();
        const now = clock();
        const { items: found } = await store.jobs.page({}, request, now);
        return {
          json: found.map((job) => jobToWire(job, now)),
          text: output.table(
            ["TYPE", "SUBJECT", "STATE", "ATTEMPTS", "NEXT ATTEMPT", "LAST ERROR", "ID"],
            found.map((job) => {
              const state = stateOf(job, now);
              const next = state === "queued" ? nextAttempt(job, now) : undefined;
              return [job.type, job.subject, state, String(job.attempts), next, job.error, job.id];
            }),
            request.search ? "No job matches." : "No jobs.",
          ),
        };
      }),
    );

  jobs
    .command("retry")
    .description("Retry a job that failed or waits for its next attempt")
    .argument("<id>", "id of the job")
    .addHelpText("after", examples("dbdepot-server jobs retry 019a8b02-5c11-7e0a-9d43-1f2e3d4c5b6a"))
    .action(
      run(async ({ operation, clock }, id) => {
        const job = await retryJob(await operation(), id);
        return { json: jobToWire(job, clock()), text: "The next free server attempts it.\n" };
      }),
    );
}

function nextAttempt({ due }: Job, now: Date): string {
  return due <= now ? "now" : formatTime(due);
}
