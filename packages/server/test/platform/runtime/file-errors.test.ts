import { mkdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { explainFileError } from "../../../src/platform/runtime/file-errors.ts";

async function explanationOf(work: Promise<unknown>): Promise<string | undefined> {
  return explainFileError(await work.catch((error) => error));
}

describe("explainFileError", () => {
  it("advises to free space if the disk is full", async () => {
    const explanation = await explanationOf(writeFile("/dev/full", "x"));
    expect(explanation).toContain("the disk is full. Free some space and try again");
    expect(explanation).not.toMatch(/permission|owner/);
  });

  it("names the path", async () => {
    expect(await explanationOf(readFile("/nowhere/x"))).toBe("/nowhere/x: no such file or directory");
    expect(await explanationOf(mkdir("/dev/null/x"))).toBe("/dev/null/x: part of the path is not a directory");
  });

  it("does not explain other errors", () => {
    expect(explainFileError(new Error("no"))).toBeUndefined();
    expect(explainFileError(Object.assign(new Error("no"), { code: "ENOENT" }))).toBeUndefined();
  });
});
