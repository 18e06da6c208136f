import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { linkSecret } from "../../../src/adapters/objects/link-secret.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dbdepot-secret-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("linkSecret", () => {
  it("creates the secret once, readable by its owner only", async () => {
    const dataDir = join(folder, "not/there yet");
    const secret = await linkSecret(dataDir);
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    expect(await linkSecret(dataDir)).toBe(secret);
    expect((await readFile(join(dataDir, "link-secret"), "utf8")).trim()).toBe(secret);
    expect((await stat(join(dataDir, "link-secret"))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect(await readdir(dataDir)).toEqual(["link-secret"]);
  });

  it("returns the same secret to concurrent callers", async () => {
    for (const round of ["a", "b", "c", "d", "e"]) {
      const dataDir = join(folder, round);
      // Staggered, so that some calls read while another is about to write.
      const calls = Array.from({ length: 50 }, (_, index) => setTimeout(index / 5).then(() => linkSecret(dataDir)));
      expect(new Set(await Promise.all(calls)).size).toBe(1);
      expect(await readdir(dataDir)).toEqual(["link-secret"]);
    }
  });

  it("returns the same secret to processes that start together", async () => {
    const module = join(import.meta.dirname, "../../../src/adapters/objects/link-secret.ts");
    const program = `const { linkSecret } = await import(process.argv[1]); console.log(await linkSecret(process.argv[2]));`;
    const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, module, folder]);
    const outputs = await Promise.all(Array.from({ length: 4 }, run));
    expect(new Set(outputs.map(({ stdout }) => stdout.trim())).size).toBe(1);
    expect(outputs[0]?.stdout.trim()).toBe(await linkSecret(folder));
  });

  it("uses a file created by the operator", async () => {
    const secret = Buffer.alloc(32, 1).toString("base64url");
    await writeFile(join(folder, "link-secret"), secret);
    await chmod(join(folder, "link-secret"), 0o440);
    expect(await linkSecret(folder)).toBe(secret);
  });

  it.each(["", "short", `${"a".repeat(43)}!`])("refuses a damaged file: %j", async (content) => {
    await writeFile(join(folder, "link-secret"), content);
    await expect(linkSecret(folder)).rejects.toThrow("is damaged");
  });
});
