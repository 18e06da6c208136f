import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secrets } from "../../../src/domain/destinations/secrets.ts";

describe("Secrets", () => {
  let directory: string;
  let path: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-secrets-"));
    path = join(directory, "secrets.key");
  });
  afterAll(() => rm(directory, { recursive: true }));

  it("are encrypted for one owner, and again after a rotation", async () => {
    const secrets = new Secrets(path);
    const first = await secrets.addKey();
    const sealed = await secrets.seal("hunter2", "mine");
    expect(sealed).toMatch(new RegExp(`^${first}\\.[\\w-]+$`));
    expect(Buffer.from(sealed.split(".")[1] ?? "", "base64url").toString("latin1")).not.toContain("hunter2");
    expect(await secrets.seal("hunter2", "mine")).not.toBe(sealed);
    expect(await secrets.open(sealed, "mine")).toBe("hunter2");
    await expect(secrets.open(sealed, "yours")).rejects.toThrow("belongs to something else");
    const changed = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;
    await expect(secrets.open(changed, "mine")).rejects.toThrow("cannot be decrypted");

    const second = await secrets.addKey();
    expect(await secrets.keyIds()).toEqual([second, first]);
    const again = await secrets.reseal(sealed, "mine");
    expect(again).toMatch(new RegExp(`^${second}\\.`));
    expect(await secrets.reseal(again ?? "", "mine")).toBeUndefined();
    await writeFile(path, (await readFile(path, "utf8")).split("\n")[0] ?? "");
    expect(await secrets.open(again ?? "", "mine")).toBe("hunter2");
    await expect(secrets.open(sealed, "mine")).rejects.toThrow(`encrypted with the key ${first}`);
  });

  it("are refused without a file, with one that others can read, and with one that is no key", async () => {
    await expect(new Secrets(undefined).seal("a", "b")).rejects.toThrow("DBDEPOT_SECRETS_KEY_FILE is not set");
    await expect(new Secrets(join(directory, "none")).seal("a", "b")).rejects.toThrow("secrets add-key");
    await chmod(path, 0o604);
    await expect(new Secrets(path).seal("a", "b")).rejects.toThrow("chmod 600");
    await chmod(path, 0o600);
    await writeFile(path, "short\n");
    await expect(new Secrets(path).seal("a", "b")).rejects.toThrow("line 1");
  });
});
