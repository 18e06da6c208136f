import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { needs } from "../needs.ts";
import { lineOf } from "../not-tested.ts";
import { programEnvironment } from "../program-environment.ts";
import { ROOT } from "../source-files.ts";

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

describe("the last line of a run", () => {
  it("says what was not tested, the most frequent reason first", () => {
    expect(lineOf(["nginx", "curl", "Ceph", "Ceph"])).toMatch(
      /^4 tests skipped for lack of Ceph \(2\), curl \(1\), nginx \(1\)\. /,
    );
    expect(lineOf(["curl"])).toMatch(/^1 test skipped for lack of curl \(1\)\. /);
    expect(lineOf([])).toBeUndefined();
  });

  it("counts the skipped tests of real files, by what they or their suites lack", async () => {
    await using folder = await mkdtempDisposable(join(ROOT, "node_modules/.cache/not-tested-"));
    const program = `
      import { describe, it } from "vitest";
      const lacks = (lacks) => ({ skip: true, meta: { lacks } });
      describe("suite", lacks("Ceph"), () => {
        it("one", () => {});
        describe("inner", () => it("two", () => {}));
      });
      it("three", lacks("curl"), () => {});
      it.skip("without a reason", () => {});
      it("runs", () => {});`;
    await writeFile(join(folder.path, "skipped.test.js"), program);
    const config = `
      import { NotTested } from "../../../rigs/harness/not-tested.ts";
      export default { test: { exclude: [], reporters: [new NotTested()] } };`;
    await writeFile(join(folder.path, "vitest.config.ts"), config);
    const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--root", folder.path];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: programEnvironment() });
    expect(stdout).toMatch(/^3 tests skipped for lack of Ceph \(2\), curl \(1\)\. [^\n]*\n$/);
  });
});
