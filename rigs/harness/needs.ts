import { basename } from "node:path";
import { inject, type TestOptions } from "vitest";
import { hasMaxmindWriter } from "./maxmind-writer.ts";
import { geoipupdatePath } from "./service/geoipupdate.ts";
import { isInstalled } from "./tools.ts";

declare module "vitest" {
  export interface TaskMeta {
    /** What a skipped suite or test lacks. rigs/harness/not-tested.ts counts it at the end of the run. */
    lacks?: string;
  }
}

/** What tests need besides programs in PATH and files. */
const OTHERS = new Map<string, () => boolean>([
  ["Ceph", () => inject("s3")?.customer !== undefined],
  ["Chromium", () => inject("chromium") !== null],
  ["Linux", () => process.platform === "linux"],
  ["S3", () => inject("s3") !== null],
  ["geoipupdate 4", () => geoipupdatePath(4) !== undefined],
  ["geoipupdate 7", () => geoipupdatePath(7) !== undefined],
  ["MaxMind::DB::Writer", hasMaxmindWriter],
]);

/**
 * Options for a suite or test that uses what npm does not install: names in the table above, programs, or absolute paths of files.
 * It is skipped without them, or fails in CI, which installs all of them: `describe("…", needs("nginx", "curl"), () => …)`.
 */
export function needs(...requirements: readonly string[]): TestOptions {
  const missing = requirements.find((name) => !(OTHERS.get(name)?.() ?? isInstalled(name)));
  if (missing !== undefined && process.env.DBDEPOT_TEST_REQUIRE_TOOLS)
    throw new Error(`${missing} is missing, and DBDEPOT_TEST_REQUIRE_TOOLS is set`);
  return skipUnless(missing === undefined, basename(missing ?? ""));
}

/** Options for a suite or test that runs only on some machines. `what` names what the others lack. */
export function skipUnless(isAvailable: boolean, what: string): TestOptions {
  return isAvailable ? {} : { skip: true, meta: { lacks: what } };
}
