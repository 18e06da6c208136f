import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/architecture.md"), "utf8");

describe("docs/architecture.md", () => {
  it("names only files that exist", () => {
    const paths = [...page.matchAll(/`([\w./-]+(?:\.ts|\.cjs|\/))`/g)].map((match) => match[1] ?? "");
    expect(paths.length).toBeGreaterThan(60);
    const homes = ["", "server/src", "server/src/http", "server/src/objects", "server/src/sql", "server/test"];
    expect(paths.filter((path) => !homes.some((home) => existsSync(join(root, home, path))))).toEqual([]);
  });

  it("explains a download with at most 25 files", () => {
    const list = [...page.matchAll(/^\| (\d+) \| `/gm)].map((match) => Number(match[1]));
    expect(list).toEqual(list.map((_, index) => index + 1));
    expect(list.length).toBeGreaterThan(0);
    expect(list.length).toBeLessThanOrEqual(25);
  });
});
