import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Staging } from "../src/staging.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "dbdepot-staging-"));
});
afterEach(() => rm(dir, { recursive: true }));

async function stage(...names: string[]): Promise<Staging> {
  const staging = new Staging(dir);
  for (const name of names) await writeFile(staging.pathOf(name), name);
  return staging;
}

describe("staged files", () => {
  it("get their names when they are published, and the others are deleted", async () => {
    const staging = await stage("data", "document", "draft");
    expect((await readdir(dir)).every((name) => name.startsWith(".") && name.endsWith(".part"))).toBe(true);
    await staging.publish(["data", "document"]);
    await staging.discard();
    expect(await readdir(dir)).toEqual(["data", "document"]);
    expect(await readFile(join(dir, "data"), "utf8")).toBe("data");
  });

  it("are published in order, so the document never exists without the data", async () => {
    const staging = await stage("data", "document");
    await mkdir(join(dir, "data"));
    await expect(staging.publish(["data", "document"])).rejects.toThrow();
    await staging.discard();
    expect(await readdir(dir)).toEqual(["data"]);
  });

  it("of two concurrent exports have different names", async () => {
    const [one, two] = [await stage("data"), await stage("data")];
    await one.publish(["data"]);
    await two.publish(["data"]);
    expect(await readdir(dir)).toEqual(["data"]);
  });
});
