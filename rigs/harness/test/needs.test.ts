import { afterEach, expect, it, vi } from "vitest";
import { needs } from "../needs.ts";
import { lineOf } from "../not-tested.ts";

afterEach(() => vi.unstubAllEnvs());

it("runs tests if everything is there: programs in PATH, and files", () => {
  expect(needs("sh", "env", import.meta.filename)).toEqual({});
});

it("skips tests and names the first thing that is missing, or fails in CI", () => {
  vi.stubEnv("DBDEPOT_TEST_REQUIRE_TOOLS", undefined);
  const skipped = (lacks: string) => ({ skip: true, meta: { lacks } });
  expect(needs("sh", "no-such-program", "another")).toEqual(skipped("no-such-program"));
  expect(needs("sh", "/usr/lib/modules/no_such_module.so")).toEqual(skipped("no_such_module.so"));
  // A directory and a file that cannot be executed are no programs.
  vi.stubEnv("PATH", `${import.meta.dirname}/..`);
  expect(needs("test")).toEqual(skipped("test"));
  expect(needs("needs.ts")).toEqual(skipped("needs.ts"));
  vi.stubEnv("DBDEPOT_TEST_REQUIRE_TOOLS", "1");
  expect(() => needs("no-such-program")).toThrow("no-such-program is missing, and DBDEPOT_TEST_REQUIRE_TOOLS is set");
});

it("says in one line what was not tested, the most frequent reason first", () => {
  const counts = new Map([
    ["nginx", 3],
    ["Ceph", 20],
    ["curl", 3],
  ]);
  expect(lineOf(counts)).toMatch(/^26 tests skipped for lack of Ceph \(20\), curl \(3\), nginx \(3\)\. /);
  expect(lineOf(new Map([["curl", 1]]))).toMatch(/^1 test skipped for lack of curl \(1\)\./);
  expect(lineOf(new Map())).toBeUndefined();
});
