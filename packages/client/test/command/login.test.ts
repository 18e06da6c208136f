import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { type Person, personOf } from "../../../server/test/routes/console/person.ts";
import { dbdepot } from "../../src/command/program.ts";
import { DbdepotClient, login, logout, refreshLogin } from "../../src/index.ts";
import { type CommandResult, Shell } from "./shell.ts";

for (const stage of eitherStage()) {
  describe(`signing in on ${stage.name}`, () => {
    let shell: Shell;
    let person: Person;
    beforeAll(async () => {
      shell = await Shell.open({}, stage);
      person = await personOf(shell.test, "ada@example.com", "admin", "Acme");
    });
    afterAll(() => shell.dispose());

    const NO_KEY = { DBDEPOT_CLIENT_KEY: "", DBDEPOT_CLIENT_URL: "" };
    const file = () => shell.path(".config/dbdepot/logins.json");
    const stored = async () => JSON.parse(await readFile(file(), "utf8"));
    const run = (...argv: string[]) => shell.runWith(NO_KEY, ...argv);

    /** Answers the request whose code the command prints. */
    async function decide(printed: string, decision: "approve" | "deny"): Promise<void> {
      const user_code = /[B-Z]{5}-[B-Z]{5}/.exec(printed)?.[0];
      const body = { user_code, ...(decision === "approve" && { days: 30 }) };
      expect((await person.post(`/api/console/sign-ins/${decision}`, body)).status).toBe(200);
      shell.test.clock.advance("5 seconds");
    }

    async function runLogin(decision: "approve" | "deny", ...argv: string[]): Promise<CommandResult> {
      const result = { exitCode: 0, out: "", err: "" };
      let decided: Promise<void> | undefined;
      result.exitCode = await dbdepot(["login", "--server", shell.customer.apiUrl, ...argv], {
        env: { ...shell.environment, ...NO_KEY },
        writeOut: (text) => {
          result.out += text;
        },
        writeErr: (text) => {
          result.err += text;
          if (text.includes("Your code")) decided ??= decide(text, decision);
        },
        pollDelayMs: 20,
      });
      await decided;
      return result;
    }

    it("stores a key that every command uses, in a file that only the user can read", async () => {
      const { exitCode, out, err } = await runLogin("approve");
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: expect.stringContaining("/console/device?user_code=") });
      expect(err).toContain("Check that the page shows the same code");
      expect(err).not.toContain("warning");
      const { default: server, logins } = await stored();
      const { key } = logins[server];
      expect(server).toBe(shell.customer.apiUrl);
      expect(out).toContain(`Signed in to ${server}.`);
      expect(out + err).not.toContain(key);
      expect((await stat(file())).mode & 0o777).toBe(0o600);

      expect((await run("list")).exitCode).toBe(0);
      const whoami = await run("whoami");
      expect(whoami.out).toMatch(/^server +http.*\nsigned in +.*logins\.json\n/);
      expect(whoami.out).toContain(`"dbdepot on `);
      expect((await run("config")).out).toMatch(/key +dbd_\w{8}_… +.*logins\.json/);
      // A key that is given explicitly wins.
      const given = await shell.runWith({ DBDEPOT_CLIENT_URL: "" }, "whoami");
      expect(given.exitCode).toBe(2);
      expect((await shell.run("whoami")).out).toContain("Acme's key");
    });

    it("never sends the stored key to another service", async () => {
      const requests: string[] = [];
      const other = createServer((request, response) => {
        requests.push(`${request.url} ${request.headers.authorization}`);
        response.writeHead(404).end();
      });
      await once(other.listen(0, "127.0.0.1"), "listening");
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const { exitCode, err } = await shell.runWith({ ...NO_KEY, DBDEPOT_CLIENT_URL: url }, "list");
      other.close();
      expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
      expect(err).toContain('run "dbdepot login"');
    });

    it("is renewed when half of its time is over, by one of several processes", async () => {
      const { default: server, logins } = await stored();
      const before = logins[server];
      const overdue = { ...before, issued: new Date(0).toISOString() };
      await writeFile(file(), JSON.stringify({ default: server, logins: { [server]: overdue } }), { mode: 0o600 });
      const results = await Promise.all([run("list"), run("whoami"), run("list")]);
      expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
      const after = (await stored()).logins[server];
      expect(after.keyId).toBe(before.keyId);
      expect(after.key).not.toBe(before.key);
      const { store } = shell.test.service.services;
      const rotations = await store.audit.list({ action: "key.rotated", limit: 10 });
      expect(rotations.filter(({ subject }) => subject === before.keyId)).toHaveLength(1);
    });

    it("replaces an earlier sign-in, whose key is revoked", async () => {
      const before = (await stored()).logins[shell.customer.apiUrl];
      const { exitCode, err } = await runLogin("approve", "--scopes", "db.download", "--json");
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: expect.stringMatching(/^Your code: [B-Z]{5}-[B-Z]{5}$/m) });
      expect(err).not.toContain("warning");
      const key = await shell.test.service.services.store.keys.byId(before.keyId);
      expect(key?.revoked).not.toBeNull();
    });

    it("says so if the person denies it, and keeps the earlier sign-in", async () => {
      const { exitCode, out, err } = await runLogin("deny");
      expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
      expect(err).toContain("the sign-in was denied in the browser");
      expect((await run("list")).exitCode).toBe(0);
    });

    it("ends with logout, which revokes the key", async () => {
      const { keyId } = (await stored()).logins[shell.customer.apiUrl];
      expect(await run("logout")).toEqual({ exitCode: 0, err: "", out: `Signed out of ${shell.customer.apiUrl}.\n` });
      expect((await shell.test.service.services.store.keys.byId(keyId))?.revoked).not.toBeNull();
      expect(await stored()).toEqual({ default: null, logins: {} });
      const { exitCode, err } = await run("list");
      expect(exitCode).toBe(2);
      expect(err).toContain('run "dbdepot login --server URL"');
      const again = await run("logout", "--server", shell.customer.apiUrl);
      expect(again.out).toBe(`You are not signed in to ${shell.customer.apiUrl}.\n`);
      expect(await run("logout")).toEqual({ exitCode: 0, err: "", out: "You are not signed in.\n" });
    });

    it("asks to sign in again after the sign-in was ended elsewhere", async () => {
      await runLogin("approve");
      const { default: server, logins } = await stored();
      await person.post(`/api/v1/iam/apikeys/${logins[server].keyId}/revoke`, {});
      const { exitCode, err } = await run("list");
      expect(exitCode).toBe(3);
      expect(err).toContain('run "dbdepot login"');
      const overdue = { ...logins[server], issued: new Date(0).toISOString() };
      await writeFile(file(), JSON.stringify({ default: server, logins: { [server]: overdue } }), { mode: 0o600 });
      const later = await run("list");
      expect(later.exitCode).toBe(3);
      expect(later.err).toContain(`your sign-in to ${server} has ended`);
    });

    it("works from the library", async () => {
      const baseUrl = shell.customer.apiUrl;
      let decided: Promise<void> | undefined;
      const signedIn = await login({
        baseUrl,
        deviceName: "build-7",
        intervalMs: 20,
        onPrompt: ({ userCode }) => {
          decided = decide(userCode, "approve");
        },
      });
      await decided;
      expect(signedIn).toMatchObject({ baseUrl, scopes: ["db.download", "account.read", "org.read"] });
      let current = signedIn;
      const client = new DbdepotClient({ baseUrl, apiKey: async () => current.key });
      expect((await client.identity()).name).toBe("dbdepot on build-7");
      current = await refreshLogin(signedIn);
      expect(current.key).not.toBe(signedIn.key);
      expect((await client.identity()).apikey_id).toBe(signedIn.keyId);
      await logout(current);
      await expect(client.identity()).rejects.toMatchObject({ kind: "unauthorized" });
      await expect(refreshLogin(current)).rejects.toMatchObject({ kind: "unauthorized" });
    });

    it("is refused by a service that has another address or no sign-in", async () => {
      const front = await shell.inFront();
      const { exitCode, err } = await run("login", "--server", front.url);
      expect(exitCode).toBe(1);
      expect(err).toContain(`calls itself ${shell.customer.apiUrl}: use that address`);
      front.hidden = "/.well-known/oauth-authorization-server";
      expect((await run("login", "--server", front.url)).err).toContain("does not let programs sign in");
      for (const server of ["depot.example:8080", "localhost:8080", "depot"]) {
        const { exitCode, err } = await run("login", "--server", server);
        expect({ exitCode, err }).toEqual({
          exitCode: 2,
          err: "dbdepot login: --server: must be a URL such as https://depot.example\n",
        });
      }
    });
  });
}

describe("a service that sends unusable responses", () => {
  const baseUrl = "https://depot.example";
  const device = {
    device_code: "device",
    user_code: "BCDFG-HJKLM",
    verification_uri: `${baseUrl}/console/device`,
    expires_in: 600,
    interval: 5,
  };
  const tokens = { access_token: "dbd_key", expires_in: 3600, refresh_token: "refresh", scope: "db.download" };
  /** A service whose responses have these fields instead. */
  const sending = (more: object): typeof fetch => {
    return async (input) => {
      const { pathname } = new URL(String(input));
      if (pathname.startsWith("/.well-known/")) return Response.json({ issuer: baseUrl });
      return Response.json({ ...(pathname.endsWith("/token") ? tokens : device), ...more });
    };
  };
  const signIn = (more: object) => login({ baseUrl, fetch: sending(more), intervalMs: 1, onPrompt: () => {} });

  it.each([
    ["access_token", undefined],
    ["access_token", "secret\r\nx-header: 1"],
    ["refresh_token", ["secret"]],
    ["refresh_token", ""],
    ["scope", 7],
    ["expires_in", "3600"],
    ["expires_in", -1],
    ["expires_in", 1e300],
    ["device_code", null],
    ["user_code", "\u001b[31mBCDFG"],
    ["verification_uri", "file:///etc/passwd"],
    ["verification_uri_complete", "javascript:alert(1)"],
  ])("stores nothing and names the field: %s = %j", async (name, value) => {
    const problem = { kind: "server", message: expect.stringMatching(new RegExp(`no valid ${name};`)) };
    const error = await signIn({ [name]: value }).catch((refusal) => refusal);
    expect(error).toMatchObject(problem);
    expect(error.message).not.toContain("secret");
    if (!(name in tokens)) return;
    const old = { baseUrl, key: "old", keyId: "id", scopes: [], issued: "", expires: "", refreshToken: "old" };
    await expect(refreshLogin(old, { fetch: sending({ [name]: value }) })).rejects.toMatchObject(problem);
  });

  it("may omit the scopes that were asked for", async () => {
    expect(await signIn({})).toMatchObject({ key: "dbd_key", refreshToken: "refresh", scopes: ["db.download"] });
    expect((await signIn({ scope: undefined })).scopes).toEqual(["db.download", "account.read", "org.read"]);
  });
});
