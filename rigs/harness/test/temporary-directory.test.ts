import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { skipUnless } from "../needs.ts";
import { asOrdinaryUser } from "../ordinary-user.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "dbdepot-parent-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** A test run that is killed. Returns its directory. */
function killedRun(): string {
  const module = join(import.meta.dirname, "../temporary-directory.ts");
  const script = `
    const { temporaryDirectory } = await import(${JSON.stringify(module)});
    console.log(temporaryDirectory(${JSON.stringify(parent)}).path);
    process.kill(process.pid, "SIGKILL");`;
  try {
    return execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" }).trim();
  } catch (error) {
    return (error as { stdout: string }).stdout.trim();
  }
}

it("is deleted after its run, or by the next run if its own was killed", () => {
  const abandoned = killedRun();
  expect(existsSync(abandoned)).toBe(true);
  const directory = temporaryDirectory(parent);
  expect(readdirSync(parent)).toEqual([directory.path.slice(parent.length + 1)]);
  directory.remove();
  expect(readdirSync(parent)).toEqual([]);
});

it("is kept while its run goes on, also before it is locked", () => {
  const directory = temporaryDirectory(parent);
  mkdirSync(join(parent, "dbdepot-tests-new"));
  temporaryDirectory(parent).remove();
  expect(existsSync(directory.path)).toBe(true);
  expect(existsSync(join(parent, "dbdepot-tests-new"))).toBe(true);
  directory.remove();
});

it("is left alone if it belongs to another user", skipUnless(process.geteuid?.() === 0, "root"), async () => {
  const abandoned = killedRun();
  execFileSync("chmod", ["1777", parent]);
  await asOrdinaryUser(async () => temporaryDirectory(parent).remove());
  expect(existsSync(abandoned)).toBe(true);
  // Not even root deletes what is not its own.
  execFileSync("chown", ["-R", "65534", abandoned]);
  temporaryDirectory(parent).remove();
  expect(existsSync(abandoned)).toBe(true);
});
