import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/architecture.md"), "utf8");

describe("docs/architecture.md", () => {
  it("names only files that exist", () => {
    const paths = [...page.matchAll(/`([\w./-]+(?:\.ts|\.cjs|\/))`/g)].map((match) => match[1] ?? "");
    expect(paths.length).toBeGreaterThan(60);
    const tiers = ["", "adapters", "adapters/sql", "commands", "domain", "http", "platform", "service", "settings"];
    const homes = ["", ...tiers.map((tier) => join("packages/server/src", tier))];
    expect(paths.filter((path) => !homes.some((home) => existsSync(join(root, home, path))))).toEqual([]);
  });
});
