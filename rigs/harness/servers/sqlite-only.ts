import type { TestProject } from "vitest/node";
import { createTemplates } from "../service/templates.ts";

/**
 * For `npm run mutate`: rules don't depend on the database, so SQLite and a directory suffice. Starting PostgreSQL and S3 takes
 * longer than most tests, and Stryker starts them again whenever a test hangs.
 */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const { templates, remove } = await createTemplates(null);
  project.provide("postgresUrl", null);
  project.provide("s3", null);
  project.provide("templates", templates);
  return remove;
}
