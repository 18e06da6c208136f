import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** `**` does not match names that begin with a dot. */
const EVERYTHING = ["**", "**/.*", "**/.*/**"];

/**
 * Returns the paths of the source files that match any of the patterns, without what .gitignore names. It does not ask git, because a
 * tarball of the source has no repository.
 */
export function sourceFiles(patterns: readonly string[] = EVERYTHING): string[] {
  const lines = readFileSync(join(ROOT, ".gitignore"), "utf8").split("\n");
  const ignored = lines.filter((line) => line !== "" && !line.startsWith("#")).map(globOf);
  const entries = globSync(patterns, { cwd: ROOT, exclude: [".git", ...ignored], withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

/** A pattern of .gitignore that begins with a slash is relative to its directory, others match at any depth. */
function globOf(pattern: string): string {
  const path = pattern.replace(/\/$/, "");
  return path.startsWith("/") ? path.slice(1) : `**/${path}`;
}
