/**
 * `npm run release -- VERSION` runs all tests, writes the version, dates the changelog, commits, and packs the commit into release/.
 * With the version of the last release, it only packs that commit again, which gives the same bytes.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { problemsOf, sectionOf, withoutLinks } from "./check.ts";
import { pack } from "./pack.ts";
import { dateChangelog, writeVersion } from "./version.ts";

const ROOT = join(import.meta.dirname, "../..");
const CHANGELOG = join(ROOT, "CHANGELOG.md");
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: ROOT, stdio: "inherit" });
const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The minisign key that signs SHA256SUMS, as an unencrypted PEM file. */
    key: { type: "string" },
    unsigned: { type: "boolean", default: false },
    /** Skips the tests of a commit that has just passed them in CI. */
    tested: { type: "boolean", default: false },
    out: { type: "string", default: join(ROOT, "release") },
  },
});
const [version = ""] = positionals;
const { version: current } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const problems = problemsOf({
  branch: git("rev-parse", "--abbrev-ref", "HEAD"),
  changes: git("status", "--porcelain"),
  changelog: readFileSync(CHANGELOG, "utf8"),
  current,
  version,
});
if (values.key === undefined && !values.unsigned) {
  problems.push("Name the key that signs the release with --key FILE, or pass --unsigned.");
}
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\nNothing was written.\n`);
  process.exitCode = 1;
} else {
  if (version !== current) {
    if (!values.tested) for (const script of ["check", "test", "test:slow"]) run("npm", "run", script);
    writeVersion(ROOT, version);
    const date = new Date().toISOString().slice(0, 10);
    writeFileSync(CHANGELOG, dateChangelog(readFileSync(CHANGELOG, "utf8"), version, date));
    run("git", "commit", "--quiet", "--all", "--message", `Release ${version}`);
  }
  const directory = resolve(values.out);
  const files = await pack(directory, {
    notes: withoutLinks(sectionOf(readFileSync(CHANGELOG, "utf8"), version)),
    key: values.key && readFileSync(values.key, "utf8"),
    onFile: (name) => process.stderr.write(`Packing ${name}\n`),
  });
  process.stdout.write(files.map((file) => `${join(directory, file)}\n`).join(""));
  if (version !== current)
    process.stderr.write(`Publish it with: git tag v${version} && git push origin main v${version}\n`);
}
