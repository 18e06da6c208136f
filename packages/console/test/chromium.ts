import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The path of the browser, or null if none is available. */
    chromium: string | null;
    /** The directory of the data that test files copy, see seeded-stage.ts. */
    seeds: string;
  }
}

/** Finds the browser once for all test files: unpacking it in two of them at the same time would break it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const path = await findChromium();
  if (!path) {
    const hint = "install chromium-headless-shell or set DBDEPOT_TEST_CHROMIUM";
    if (process.env.DBDEPOT_TEST_REQUIRE_TOOLS) throw new Error(`no Chromium for this machine: ${hint}`);
    process.stderr.write(`Skipping the console's browser tests, because there is no Chromium: ${hint}.\n`);
  }
  project.provide("chromium", path);
  const seeds = await mkdtemp(join(tmpdir(), "dbdepot-seeds-"));
  project.provide("seeds", seeds);
  return () => rm(seeds, { recursive: true });
}

/** The npm package contains Chromium for Linux on x64 only. */
export async function findChromium(): Promise<string | null> {
  if (process.env.DBDEPOT_TEST_CHROMIUM) return process.env.DBDEPOT_TEST_CHROMIUM;
  if (process.platform === "linux" && process.arch === "x64") return unpackOnDisk();
  const found = spawnSync("which", ["chromium-headless-shell", "chromium"], { encoding: "utf8" }).stdout;
  return found.split("\n")[0] || null;
}

/** Unpacks it to the system's temporary directory, where the next run finds it. */
async function unpackOnDisk(): Promise<string> {
  const { TMPDIR, DBDEPOT_TEST_DISK } = process.env;
  process.env.TMPDIR = DBDEPOT_TEST_DISK ?? TMPDIR;
  return chromium.executablePath().finally(() => {
    process.env.TMPDIR = TMPDIR;
  });
}
