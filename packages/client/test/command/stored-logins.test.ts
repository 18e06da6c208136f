import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Keyring } from "../../src/command/login/keyring.ts";
import { loginKey } from "../../src/command/login/login-key.ts";
import { isDue, StoredLogins } from "../../src/command/login/stored-logins.ts";
import { DbdepotError } from "../../src/errors.ts";
import type { Login } from "../../src/login/login.ts";

const URL = "https://depot.example";
const DAY_MS = 24 * 60 * 60 * 1000;

function loginOf(but: Partial<Login> = {}): Login {
  return {
    baseUrl: URL,
    key: "dbd_12345678_secret",
    keyId: "id",
    scopes: ["db.download"],
    issued: new Date(0).toISOString(),
    expires: new Date(30 * DAY_MS).toISOString(),
    refreshToken: "refresh",
    ...but,
  };
}

function fakeKeyring(): Keyring & { secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  return {
    secrets,
    get: (account) => secrets.get(account) ?? null,
    set: (account, secret) => void secrets.set(account, secret),
    delete: (account) => void secrets.delete(account),
  };
}

function fail(): never {
  throw new Error("no D-Bus");
}

describe("stored logins", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "dbdepot-logins-"));
  });
  afterAll(() => rm(home, { recursive: true }));

  it("keep the secrets in the keyring if there is one", async () => {
    const keyring = fakeKeyring();
    const logins = new StoredLogins({ HOME: join(home, "a") }, keyring);
    expect(await logins.save(loginOf(), { isDefault: true })).toBe("keyring");
    expect(await readFile(logins.path, "utf8")).not.toContain("secret");
    expect(logins.find(URL)).toEqual({ ...loginOf(), place: "keyring" });
    expect(logins.defaultUrl).toBe(URL);
    expect(logins.find("https://other.example")).toBeUndefined();
    expect(logins.find("__proto__")).toBeUndefined();
    await logins.remove(URL);
    expect(keyring.secrets.size).toBe(0);
    expect(logins.find(URL)).toBeUndefined();
  });

  it.each([
    ["is missing", undefined],
    ["fails", { get: fail, set: fail, delete: fail }],
  ])("are in a file that only the user can read if the keyring %s", async (_, keyring) => {
    const logins = new StoredLogins({ XDG_CONFIG_HOME: join(home, "b") }, keyring);
    expect(await logins.save(loginOf())).toBe("file");
    expect((await stat(logins.path)).mode & 0o777).toBe(0o600);
    expect(logins.find(URL)).toEqual({ ...loginOf(), place: "file" });
  });

  it("are renewed when half of their time is over, and keep working while the service is unreachable", async () => {
    const logins = new StoredLogins({ HOME: join(home, "c") }, undefined);
    await logins.save(loginOf());
    expect(isDue(loginOf(), 14 * DAY_MS)).toBe(false);
    const unreachable = async () => {
      throw new DbdepotError("network", "cannot reach it");
    };
    const at = (days: number) => () => days * DAY_MS;
    expect(await logins.fresh(URL, fail, at(14))).toMatchObject({ key: loginOf().key });
    expect(await logins.fresh(URL, unreachable, at(16))).toMatchObject({ key: loginOf().key });
    await expect(logins.fresh(URL, unreachable, at(31))).rejects.toThrow("cannot reach it");
    const renewed = loginOf({ key: "dbd_87654321_new", issued: new Date(16 * DAY_MS).toISOString() });
    expect(await logins.fresh(URL, async () => renewed, at(16))).toEqual(renewed);
    expect(logins.find(URL)).toMatchObject({ key: "dbd_87654321_new" });
  });

  it("are renewed in a process that runs for weeks, such as sync --watch", async () => {
    const logins = new StoredLogins({ HOME: join(home, "d") }, undefined);
    await logins.save(loginOf());
    vi.useFakeTimers({ toFake: ["Date"], now: DAY_MS });
    try {
      const issued = new Date(16 * DAY_MS).toISOString();
      const key = loginKey(logins, URL, async () => loginOf({ key: "renewed", issued }));
      expect(await key()).toBe(loginOf().key);
      vi.setSystemTime(16 * DAY_MS);
      expect(await key()).toBe("renewed");
      await logins.remove(URL);
      vi.setSystemTime(17 * DAY_MS);
      await expect(key()).rejects.toMatchObject({ kind: "unauthorized" });
    } finally {
      vi.useRealTimers();
    }
  });
});
