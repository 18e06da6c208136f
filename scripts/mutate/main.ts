/**
 * `npm run mutate -- PATH…`: changes one operator or condition of the code at a time, runs the fast tests of the same
 * folder, and lists the changes that no test noticed. It works on a copy of the repository, which it removes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

const ROOT = resolve(import.meta.dirname, "../..");
const USAGE = `usage: npm run mutate -- PATH… [--tests PATH]… [--minutes N] [--json FILE]

  PATH       a folder or file below a src folder, such as packages/server/src/domain/limits
  --tests    folders or files of tests to run besides the folder with the same name below test
  --minutes  ends the run after this time (default: 30)
  --json     also writes the report to this file; if it exists, only changes whose code or tests differ run again
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: "string", multiple: true },
    minutes: { type: "string", default: "30" },
    json: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const sources = positionals.map((path) => relative(ROOT, resolve(path)));
const more = (values.tests ?? []).map((path) => relative(ROOT, resolve(path)));
const tests = [...new Set([...sources.map(testsOf).filter(exists), ...more])];
const missing = [...sources, ...more].filter((path) => !exists(path));
if (tests.length === 0) process.stderr.write("there is no folder with tests of that name: use --tests\n");
if (sources.length === 0 || tests.length === 0 || !(minutes > 0) || missing.length > 0) {
  for (const path of missing) process.stderr.write(`${path} does not exist\n`);
  process.stderr.write(USAGE);
  process.exit(2);
}

const copy = await mkdtemp(join(tmpdir(), "dbdepot-mutate-"));
try {
  const stryker = spawn(
    process.execPath,
    [join(ROOT, "node_modules/@stryker-mutator/core/bin/stryker.js"), "run", "scripts/mutate/stryker.config.js"],
    {
      cwd: ROOT,
      stdio: "inherit",
      env: {
        ...process.env,
        MUTATE_TESTS: tests.join(","),
        MUTATE_SOURCES: sources.map(patternOf).join(","),
        MUTATE_COPY: copy,
        MUTATE_JSON: values.json ?? "",
      },
    },
  );
  // It passes both signals on to its processes, and ends them.
  const timer = setTimeout(() => {
    process.stderr.write(`not finished after ${minutes} minutes: mutate fewer files at a time, or use --minutes\n`);
    stryker.kill("SIGTERM");
  }, minutes * 60_000);
  process.on("SIGINT", () => {});
  const [exitCode] = await once(stryker, "exit");
  clearTimeout(timer);
  process.exitCode = exitCode ?? 1;
} finally {
  await rm(copy, { recursive: true, force: true });
}

/** `packages/server/src/domain/limits/use.ts` is tested by the files in `packages/server/test/domain/limits`. */
function testsOf(source: string): string {
  const folder = source.endsWith(".ts") ? resolve(source, "..") : source;
  return relative(ROOT, resolve(folder)).replace(/(^|\/)src(?=\/|$)/, "$1test");
}

function exists(path: string): boolean {
  return existsSync(join(ROOT, path));
}

function patternOf(path: string): string {
  return statSync(join(ROOT, path)).isDirectory() ? `${path}/**/*.ts` : path;
}
