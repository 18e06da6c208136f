export interface Candidate {
  /** By path of the package.json. */
  versions: Record<string, string>;
  changelog: string;
  /** The output of `git status --porcelain`. */
  changes: string;
}

/** Returns the problems to fix before a release, one sentence each. */
export function problemsOf({ versions, changelog, changes }: Candidate): string[] {
  const [version = ""] = Object.values(versions);
  const different = Object.entries(versions).filter(([, other]) => other !== version);
  const problems = different.map(([path, other]) => `${path} has version ${other}, but package.json has ${version}.`);
  const sections = sectionsOf(changelog);
  if (!sections.get(version)) {
    problems.push(
      `CHANGELOG.md has no entries for ${version}: rename "## Unreleased" to "## ${version} (YYYY-MM-DD)".`,
    );
  }
  if (sections.get("Unreleased")) {
    problems.push(`CHANGELOG.md has entries under "Unreleased": move them to the section of ${version}.`);
  }
  if (changes.trim() !== "") problems.push(`Uncommitted changes, commit or discard them:\n${changes.trimEnd()}`);
  return problems;
}

/** The text of each section, by its version. */
function sectionsOf(changelog: string): Map<string, string> {
  const sections = changelog.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [heading = "", ...lines] = section.split("\n");
      return [heading.split(" ")[0] ?? "", lines.join("\n").trim()];
    }),
  );
}
