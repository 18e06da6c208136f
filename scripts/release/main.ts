/** `npm run release [-- DIRECTORY]` checks the version and the changelog, and writes the release, by default to dist/. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { problemsOf } from "./check.ts";
import { pack } from "./pack.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const manifests = ["package.json", ...globSync("{packages,rigs}/*/package.json", { cwd: ROOT })];
const problems = problemsOf({
  versions: Object.fromEntries(manifests.map((path) => [path, JSON.parse(read(path)).version])),
  changelog: read("CHANGELOG.md"),
  changes: execFileSync("git", ["status", "--porcelain"], { cwd: ROOT, encoding: "utf8" }),
});
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\nNothing was written.\n`);
  process.exitCode = 1;
} else {
  const directory = resolve(process.argv[2] ?? join(ROOT, "dist"));
  const files = await pack(directory);
  process.stdout.write(files.map((file) => `${join(directory, file)}\n`).join(""));
}
