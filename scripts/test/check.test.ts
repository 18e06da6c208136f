import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Candidate, problemsOf, sectionOf, withoutLinks } from "../release/check.ts";
import { dateChangelog, writeVersion } from "../release/version.ts";

const ROOT = join(import.meta.dirname, "../..");

const READY: Candidate = {
  branch: "main",
  changes: "",
  changelog: "# Changelog\n\n## Unreleased\n\n- Faster.\n\n## 1.1.0 (2026-11-01)\n\n- First.\n",
  current: "1.1.0",
  version: "1.2.0",
};

describe("the check before a release", () => {
  it("accepts a new version with entries in the changelog, and packing the last one again", () => {
    expect(problemsOf(READY)).toEqual([]);
    expect(problemsOf({ ...READY, version: "1.1.0", branch: "HEAD" })).toEqual([]);
    expect(problemsOf({ ...READY, current: "1.2.0-rc.1" })).toEqual([]);
    expect(problemsOf({ ...READY, current: "1.2.0-rc.9", version: "1.2.0-rc.10" })).toEqual([]);
  });

  it("reports all problems together", () => {
    const problems = problemsOf({
      branch: "faster",
      changes: " M README.md\n",
      changelog: "# Changelog\n\n## 1.0.0 (2026-11-01)\n\n- First.\n",
      current: "1.1.0",
      version: "1.0.0",
    });
    expect(problems).toEqual([
      "1.0.0 is older than the current version, 1.1.0.",
      'CHANGELOG.md has no entries under "Unreleased".',
      "CHANGELOG.md already describes 1.0.0.",
      "Release from main, not from faster.",
      expect.stringContaining(" M README.md"),
    ]);
  });

  it.each(["", "1.2", "v1.2.0", "1.2.0 "])("rejects %j as a version", (version) => {
    expect(problemsOf({ ...READY, version })).toEqual([expect.stringContaining("is not a version")]);
  });

  it("rejects an empty section, and the section of a longer version number", () => {
    for (const changelog of ["## 1.1.0 (2026-12-01)\n\n## 1.0.0\n\n- First.\n", "## 1.1.01\n\n- Other.\n"]) {
      expect(problemsOf({ ...READY, version: "1.1.0", changelog })).toEqual([expect.stringContaining("no entries")]);
    }
  });
});

describe("CHANGELOG.md", () => {
  it("can be released: its newest section takes less than five minutes to read", async () => {
    const [changelog, { version: current }] = await Promise.all([
      readFile(join(ROOT, "CHANGELOG.md"), "utf8"),
      readFile(join(ROOT, "package.json"), "utf8").then(JSON.parse),
    ]);
    const version = sectionOf(changelog, "Unreleased") ? "98.7.6" : current;
    expect(problemsOf({ ...READY, changelog, current, version })).toEqual([]);
  });

  it("is too long with more words, not counting the targets of links", () => {
    const changelog = (words: number) => `## Unreleased\n\n${"[word](docs/a page.md) ".repeat(words)}\n`;
    expect(problemsOf({ ...READY, changelog: changelog(1250) })).toEqual([]);
    expect(problemsOf({ ...READY, changelog: changelog(1251) })).toEqual([expect.stringContaining("has 1251 words")]);
  });

  it("gets release notes without links that lead nowhere outside the repository", () => {
    expect(withoutLinks("- **[Signing](docs/operate/signing.md)** with [keys](a.md#b).")).toBe(
      "- **Signing** with keys.",
    );
  });
});

describe("a new version", () => {
  it("is written into every file that contains the old one, and nowhere else", async () => {
    const copy = await mkdtemp(join(tmpdir(), "dbdepot-version-"));
    const { version: old, workspaces } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    expect(workspaces).toEqual(["packages/*", "rigs/bench"]);
    const places = [
      "package.json",
      "package-lock.json",
      "packages/server/package.json",
      "packages/client/package.json",
      "rigs/bench/package.json",
      "packages/server/src/platform/version.ts",
      "packages/client/src/version.ts",
      "deploy/helm/dbdepot/Chart.yaml",
      "docs/operate/install.md",
    ];
    try {
      for (const place of places) await cp(join(ROOT, place), join(copy, place));
      writeVersion(copy, "98.7.6");
      for (const place of places) {
        const [before, after] = await Promise.all([ROOT, copy].map((root) => readFile(join(root, place), "utf8")));
        expect(after, place).toContain("98.7.6");
        expect(after?.replaceAll("98.7.6", old), place).toBe(before);
      }
    } finally {
      await rm(copy, { recursive: true });
    }
  });

  it("gives the changelog's newest section its number and date", () => {
    const dated = dateChangelog(READY.changelog, "1.2.0", "2026-12-01");
    expect(dated).toContain("## 1.2.0 (2026-12-01)\n\n- Faster.");
    expect(sectionOf(dated, "1.2.0")).toBe("- Faster.");
    expect(sectionOf(dated, "Unreleased")).toBe("");
  });
});
