import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).trim().split("\n");

describe("Links between Markdown pages", () => {
  it.each(pages)("%s links only to files that exist", (page) => {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/```[\s\S]*?```/g, "");
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? "");
    const missing = targets.filter(
      (target) => !target.startsWith("/") && !existsSync(join(root, dirname(page), target)),
    );
    expect(missing).toEqual([]);
  });
});
