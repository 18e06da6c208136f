import type { TestProject } from "vitest/node";
import { createTemplates, type Templates } from "../service/templates.ts";
import { startPostgres } from "./postgres-server.ts";
import { type S3Server, startS3 } from "./s3-server.ts";

/** Tests read these with `inject("postgresUrl")`, `inject("templates")` and `inject("s3")`. */
declare module "vitest" {
  export interface ProvidedContext {
    /** The URL of the database `postgres`, for a superuser. Every suite creates its own databases. Null if it does not run. */
    postgresUrl: string | null;
    templates: Templates;
    /** The bucket exists, and every suite uses its own prefix. Null if no S3 server is available. */
    s3: S3Server | null;
  }
}

type Stop = () => Promise<unknown>;

/** Starts the servers that the suites use. Returns a function that stops them. */
export default async function setup(project: TestProject): Promise<Stop> {
  const stops: Stop[] = [];
  const stopAll = async () => {
    for (const stop of stops.toReversed()) await stop();
  };
  const starting = [
    startPostgres().then(
      async ({ url, stop }) => {
        stops.push(stop);
        await provideTemplates(project, stops, url);
      },
      async ({ message }: Error) => {
        const notice = `${message}\nThe tests that need it did not run. Set DBDEPOT_TEST_POSTGRES_URL to use another server.\n`;
        process.stderr.write(notice);
        stops.push(async () => {
          process.stderr.write(notice);
          process.exitCode = 1;
        });
        await provideTemplates(project, stops, null);
      },
    ),
    startS3().then((s3) => {
      if (s3) stops.push(s3.stop);
      project.provide("s3", s3?.server ?? null);
    }),
  ];
  // Waits for both even if one fails: a server that is still starting cannot be stopped.
  const failure = (await Promise.allSettled(starting)).find((result) => result.status === "rejected");
  if (!failure) return stopAll;
  await stopAll();
  throw failure.reason;
}

async function provideTemplates(project: TestProject, stops: Stop[], postgresUrl: string | null): Promise<void> {
  const { templates, remove } = await createTemplates(postgresUrl);
  stops.push(remove);
  project.provide("postgresUrl", postgresUrl);
  project.provide("templates", templates);
}
