import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, sourceFiles } from "../../../../rigs/harness/source-files.ts";

describe("Links between Markdown pages", () => {
  it.each(sourceFiles(["**/*.md"]))("%s links only to files that exist", (page) => {
    const text = readFileSync(join(ROOT, page), "utf8").replaceAll(/```[\s\S]*?```/g, "");
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? "");
    const missing = targets.filter(
      (target) => !target.startsWith("/") && !existsSync(join(ROOT, dirname(page), target)),
    );
    expect(missing).toEqual([]);
  });
});
