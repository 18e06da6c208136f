import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DiskStore, diskStore } from "../../../src/adapters/objects/disk.ts";
import { NoSuchObject, ObjectExists } from "../../../src/domain/builds/object-store.ts";

const authority = { region: "local", credentials: { accessKeyId: "a", secretAccessKey: "b" } };
let outside: string;
let folder: string;
let store: DiskStore;
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), "dbdepot-disk-"));
  folder = join(outside, "objects");
  store = diskStore({ folder, linkOrigin: "http://localhost", authority });
});
afterEach(() => rm(outside, { recursive: true }));

const put = (key: string, content = key) => store.put(key, Readable.from([content]));
async function keys(prefix = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list(prefix)) found.push(key);
  return found.sort();
}

describe("Disk store", () => {
  it("makes files and folders accessible to their owner only", async () => {
    await put("a/b/c");
    for (const path of ["", ".partial", "a", "a/b"]) {
      expect([path, (await stat(join(folder, path))).mode & 0o777]).toEqual([path, 0o700]);
    }
    expect((await stat(join(folder, "a/b/c"))).mode & 0o777).toBe(0o600);
  });

  it("accepts a folder that is a symbolic link", async () => {
    await mkdir(join(outside, "elsewhere"));
    await symlink(join(outside, "elsewhere"), folder);
    await put("a/b");
    expect(await text(await store.read("a/b"))).toBe("a/b");
    expect(await readFile(join(outside, "elsewhere/a/b"), "utf8")).toBe("a/b");
  });

  describe("with symbolic links in its folder", () => {
    beforeEach(async () => {
      await put("real/object");
      await mkdir(join(outside, "private"));
      await writeFile(join(outside, "private/file"), "private");
      await symlink(join(outside, "private"), join(folder, "folder"));
      await symlink(join(outside, "private/file"), join(folder, "real/file"));
      await symlink(join(folder, "real/object"), join(folder, "real/alias"));
      await symlink(join(folder, "real"), join(folder, "inside"));
    });

    it.each(["folder/file", "real/file", "real/alias", "inside/object"])("does not follow %s", async (key) => {
      expect(await store.stat(key)).toBeUndefined();
      await expect(store.read(key)).rejects.toThrow(NoSuchObject);
      await store.remove(key);
      expect(await readFile(join(folder, key), "utf8")).toMatch(/private|real/);
    });

    it("refuses to write through them", async () => {
      await expect(put("folder/new")).rejects.toThrow("is not a directory");
      await expect(put("folder/deeper/new")).rejects.toThrow("is not a directory");
      await expect(put("real/file")).rejects.toThrow(ObjectExists);
      expect(await readdir(join(outside, "private"))).toEqual(["file"]);
      expect(await readdir(join(folder, ".partial"))).toEqual([]);
    });

    it("does not list them", async () => {
      expect(await keys()).toEqual(["real/object"]);
    });
  });

  it("does not confuse objects with folders", async () => {
    await put("a/b");
    expect(await store.stat("a")).toBeUndefined();
    await store.remove("a");
    await expect(put("a")).rejects.toThrow(ObjectExists);
    await expect(put("a/b/c")).rejects.toThrow("is not a directory");
    expect(await store.stat("a/b/c")).toBeUndefined();
    expect(await keys()).toEqual(["a/b"]);
    expect(await readdir(join(folder, ".partial"))).toEqual([]);
  });

  it("removes a folder together with its last object", async () => {
    await put("a/b/1");
    await put("a/b/2");
    await store.remove("a/b/1");
    expect(await readdir(join(folder, "a/b"))).toEqual(["2"]);
    await store.remove("a/b/2");
    expect(await readdir(folder)).toEqual([".partial"]);
  });

  it("writes and removes objects in the same folder concurrently", async () => {
    // With few workers the folder is often empty, so one removes it just as another writes to it.
    const workers = Array.from({ length: 3 }, async (_, worker) => {
      for (let round = 0; round < 200; round++) {
        const key = `shared/deep/${worker}-${round}`;
        await put(key);
        expect(await text(await store.read(key))).toBe(key);
        await store.remove(key);
      }
    });
    await Promise.all(workers);
    expect(await keys()).toEqual([]);
  });

  it("does not list partial files left by a crash, and sweeps the old ones", async () => {
    await put("whole");
    const yesterday = new Date(Date.now() - 24 * 3600_000);
    for (const name of ["old", "new"]) await writeFile(join(folder, ".partial", name), "half");
    await utimes(join(folder, ".partial/old"), yesterday, yesterday);
    expect(await keys()).toEqual(["whole"]);
    expect(await store.sweepPartial(new Date(Date.now() - 3600_000))).toBe(1);
    expect(await readdir(join(folder, ".partial"))).toEqual(["new"]);
    expect(await keys()).toEqual(["whole"]);
  });
});
