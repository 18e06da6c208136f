export interface Candidate {
  /** The branch, and the output of `git status --porcelain`. */
  branch: string;
  changes: string;
  changelog: string;
  /** The version in package.json. */
  current: string;
  /** The version to release. If it is the current one, the release is only packed again. */
  version: string;
}

/** What a person reads in five minutes. */
const MAX_WORDS = 1250;
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/;

/** Returns the problems to fix before a release, one sentence each. */
export function problemsOf({ branch, changes, changelog, current, version }: Candidate): string[] {
  const problems: string[] = [];
  if (!VERSION.test(version)) {
    return [`"${version}" is not a version such as 1.2.0: npm run release -- 1.2.0`];
  }
  if (version !== current && compareVersions(version, current) < 0) {
    problems.push(`${version} is older than the current version, ${current}.`);
  }
  const heading = version === current ? version : "Unreleased";
  const section = sectionOf(changelog, heading);
  if (!section) problems.push(`CHANGELOG.md has no entries under "${heading}".`);
  const words = withoutLinks(section).split(/\s+/).length;
  if (words > MAX_WORDS) {
    problems.push(
      `"${heading}" in CHANGELOG.md has ${words} words, which takes more than five minutes to read. ` +
        `Shorten it to ${MAX_WORDS}: one line per feature under the heading it belongs to, with a link to its page.`,
    );
  }
  if (version !== current && sectionOf(changelog, version)) problems.push(`CHANGELOG.md already describes ${version}.`);
  if (version !== current && branch !== "main") problems.push(`Release from main, not from ${branch}.`);
  if (changes.trim() !== "") problems.push(`Uncommitted changes, commit or discard them:\n${changes.trimEnd()}`);
  return problems;
}

/** The text of a section of the changelog. Empty if there is none. */
export function sectionOf(changelog: string, heading: string): string {
  const section = changelog.split(/^## /m).find((each) => each.split(/\s/, 1)[0] === heading);
  return section?.replace(/^.*\n?/, "").trim() ?? "";
}

/** The text of Markdown without the targets of its links, which exist only in the repository. */
export function withoutLinks(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

/** A prerelease such as 1.2.0-rc.1 comes before 1.2.0. */
function compareVersions(a: string, b: string): number {
  const [, ...left] = VERSION.exec(a) ?? [];
  const [, ...right] = VERSION.exec(b) ?? [];
  for (const index of [0, 1, 2]) {
    const difference = Number(left[index]) - Number(right[index]);
    if (difference !== 0) return difference;
  }
  if (left[3] === undefined || right[3] === undefined)
    return Number(left[3] === undefined) - Number(right[3] === undefined);
  return left[3].localeCompare(right[3], "en", { numeric: true });
}
