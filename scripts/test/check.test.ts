import { describe, expect, it } from "vitest";
import { type Candidate, problemsOf } from "../release/check.ts";

const READY: Candidate = {
  versions: { "package.json": "1.2.0", "packages/server/package.json": "1.2.0" },
  changelog: "# Changelog\n\n## 1.2.0 (2026-12-01)\n\n- Faster.\n\n## 1.1.0 (2026-11-01)\n\n- First.\n",
  changes: "",
};

describe("the check before a release", () => {
  it("accepts one version with entries in the changelog", () => {
    expect(problemsOf(READY)).toEqual([]);
    expect(problemsOf({ ...READY, changelog: READY.changelog.replace("\n\n", "\n\n## Unreleased\n\n") })).toEqual([]);
  });

  it("reports all problems together", () => {
    const problems = problemsOf({
      versions: { ...READY.versions, "packages/client/package.json": "1.1.0" },
      changelog: "# Changelog\n\n## Unreleased\n\n- Faster.\n",
      changes: " M README.md\n",
    });
    expect(problems).toEqual([
      "packages/client/package.json has version 1.1.0, but package.json has 1.2.0.",
      expect.stringContaining("no entries for 1.2.0"),
      expect.stringContaining('entries under "Unreleased"'),
      expect.stringContaining(" M README.md"),
    ]);
  });

  it("rejects an empty section, and the section of a longer version number", () => {
    for (const changelog of ["## 1.2.0 (2026-12-01)\n\n## 1.1.0\n\n- First.\n", "## 1.2.01\n\n- Other.\n"]) {
      expect(problemsOf({ ...READY, changelog })).toEqual([expect.stringContaining("no entries for 1.2.0")]);
    }
  });
});
