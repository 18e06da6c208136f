import { execFileSync } from "node:child_process";

/**
 * The commit that is built, with "-dirty" if files differ from it. `DBDEPOT_BUILD_COMMIT` names it
 * where there is no repository, as in a container. Without either, builds have no commit.
 */
function buildCommit(): string | undefined {
  const given = process.env.DBDEPOT_BUILD_COMMIT;
  if (given) return given;
  const git = (...args: string[]) =>
    execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const commit = git("rev-parse", "--short=12", "HEAD").trim();
    return git("status", "--porcelain", "--untracked-files=no").trim() === "" ? commit : `${commit}-dirty`;
  } catch {
    return undefined;
  }
}

/** Values that the bundler inserts into the code. */
export function buildDefines(): Record<string, string> {
  const commit = buildCommit();
  return commit ? { BUILD_COMMIT: JSON.stringify(commit) } : {};
}
