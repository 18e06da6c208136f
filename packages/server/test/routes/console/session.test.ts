import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { PASSWORD, Person, personOf } from "./person.ts";

for (const stage of eitherStage()) {
  describe(`sessions on ${stage.name}`, () => {
    let test: TestService;
    beforeAll(async () => {
      test = await testService(stage);
      await test.operator.customer("Acme");
    });
    afterAll(() => test.dispose());

    it("reveal no account without a cookie", async () => {
      const reply = await new Person(test.service.apiUrl, "nobody@example.com").get("/api/console/session");
      expect(reply.status).toBe(200);
      expect(reply.headers.get("cache-control")).toBe("no-store");
      expect(reply.json).toEqual({
        account: null,
        second_factor: null,
        needs_passkey: false,
        viewing_as: null,
        sign_in: { password: true, mail: false, oidc: null },
        version: null,
        api_url: test.service.apiUrl,
        needs_operator: true,
        demo: false,
        copied: null,
        link_regions: [],
      });
    });

    it("tell the vendor's people, and nobody else, that this is a copy", async () => {
      const operator = await personOf(test, "olga@example.com", "operator_viewer");
      const customer = await personOf(test, "copied@example.com", "admin", "Acme");
      await test.stage.query("insert into copies (id, copied) values (1, '2026-11-18T08:00:00.000Z') returning id");
      const stranger = new Person(test.service.apiUrl, "nobody@example.com");
      const replies = [operator, customer, stranger].map((person) => person.get("/api/console/session"));
      const copied = (await Promise.all(replies)).map(({ json }) => json.copied);
      await test.stage.query("delete from copies returning id");
      expect(copied).toEqual(["2026-11-18T08:00:00.000Z", null, null]);
    });

    it("begin with the right password, in a cookie that scripts cannot read", async () => {
      const ada = await personOf(test, "ada@example.com", "admin", "Acme");
      const browser = new Person(test.service.apiUrl, "ADA@example.com ");
      const reply = await browser.signIn();
      expect(reply.status).toBe(200);
      expect(reply.json.version).toMatch(/^\d/);
      expect(reply.json.account).toMatchObject({ id: ada.id, email: "ada@example.com", role: "admin" });
      expect(reply.json.account.organization.name).toBe("Acme");
      const [cookie] = reply.headers.getSetCookie();
      expect(cookie).toMatch(/^dbdepot_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
      expect((await browser.get("/api/console/session")).json.account.id).toBe(ada.id);
    });

    it("are refused alike for a wrong password, an unknown address, an open invitation and a disabled account", async () => {
      const admin = await personOf(test, "root@example.com", "operator");
      const bob = await personOf(test, "bob@example.com", "operator_viewer");
      await admin.send("PATCH", `/api/console/accounts/${bob.id}`, { body: { disabled: true } });
      const invitation = { email: "open@example.com", role: "operator_viewer" };
      expect((await admin.post("/api/console/accounts", invitation)).status).toBe(200);
      for (const [email, password] of [
        ["root@example.com", "wrong password"],
        ["root@example.com", ""],
        ["stranger@example.com", PASSWORD],
        ["open@example.com", PASSWORD],
        ["bob@example.com", PASSWORD],
      ] as const) {
        const reply = await new Person(test.service.apiUrl, email).signIn(password);
        expectRefusal(reply, 401, "INVALID_CREDENTIALS");
        expect(reply.headers.getSetCookie()).toEqual([]);
      }
    });

    it("end when the person signs out, and the cookie is removed", async () => {
      const carl = await personOf(test, "carl@example.com", "viewer", "Acme");
      const { cookie } = carl;
      const reply = await carl.send("DELETE", "/api/console/session");
      expect(reply.status).toBe(204);
      expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(/^dbdepot_session=; .*Max-Age=0/)]);
      expect(await new Person(test.service.apiUrl, "", cookie).isSignedIn()).toBe(false);
    });

    it("end 12 hours after the last request", async () => {
      const { clock } = test;
      const dora = await personOf(test, "dora@example.com", "viewer", "Acme");
      clock.advance("43199 seconds");
      expect(await dora.isSignedIn()).toBe(true);
      const lastSeen = async () => (await dora.get("/api/console/sessions")).json.sessions[0].last_seen;
      await expect.poll(lastSeen).toBe(clock.now().toISOString());
      clock.advance("43199 seconds");
      expect(await dora.isSignedIn()).toBe(true);
      clock.advance("1 seconds");
      expectRefusal(await dora.get("/api/console/sessions"), 401, "UNAUTHORIZED");
      expect(await dora.isSignedIn()).toBe(false);
    });

    it("are listed for their owner, who can end each of them", async () => {
      const eve = await personOf(test, "eve@example.com", "viewer", "Acme");
      const phone = await eve.elsewhere();
      const other = await personOf(test, "other@example.com", "viewer", "Acme");
      const { sessions } = (await eve.get("/api/console/sessions")).json;
      expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
      expect(sessions[0]).toMatchObject({ address: "127.0.0.1", created: test.clock.now().toISOString() });
      const path = `/api/console/sessions/${sessions[0].id}`;
      expect((await other.send("DELETE", path)).status).toBe(204);
      expect(await phone.isSignedIn()).toBe(true);
      expect((await eve.send("DELETE", path)).status).toBe(204);
      expect([await phone.isSignedIn(), await eve.isSignedIn()]).toEqual([false, true]);
    });

    it("all end but one when the password changes", async () => {
      const fay = await personOf(test, "fay@example.com", "viewer", "Acme");
      const phone = await fay.elsewhere();
      const change = (current: string, password: string) =>
        fay.send("PUT", "/api/console/password", { body: { current, password } });
      expectRefusal(await change("wrong", "another good password"), 401, "INVALID_CREDENTIALS");
      expect((await change(PASSWORD, "short")).json.rc).toBe("INVALID_REQUEST");
      expect(await phone.isSignedIn()).toBe(true);
      expect((await change(PASSWORD, "another good password")).status).toBe(204);
      expect([await phone.isSignedIn(), await fay.isSignedIn()]).toEqual([false, true]);
      expect((await phone.signIn()).status).toBe(401);
      expect((await phone.signIn("another good password")).status).toBe(200);
    });

    it("end when the organization is archived", async () => {
      const globex = await test.operator.customer("Globex");
      const gus = await personOf(test, "gus@example.com", "admin", "Globex");
      const root = await personOf(test, "root2@example.com", "operator");
      const archive = (archived: boolean) =>
        root.send("PATCH", `/api/operator/organizations/${globex.organizationId}`, { body: { archived } });
      expect((await archive(true)).status).toBe(200);
      expectRefusal(await gus.get("/api/v2/database/list"), 401, "UNAUTHORIZED");
      expectRefusal(await gus.signIn(), 401, "INVALID_CREDENTIALS");
      await archive(false);
      expect(await gus.isSignedIn()).toBe(false);
      expect((await gus.signIn()).status).toBe(200);
    });

    it("store and log neither passwords nor tokens", async () => {
      const hal = await personOf(test, "hal@example.com", "viewer", "Acme");
      await hal.get("/api/console/sessions");
      const token = hal.cookie?.split("=")[1] ?? "missing";
      const everything = (await test.databaseContent()) + test.logs();
      expect(everything).toContain("hal@example.com");
      for (const secret of [PASSWORD, token]) expect(everything).not.toContain(secret);
    });
  });
}

describe("the session cookie", () => {
  it("is Secure and belongs to the host alone if the public URL is https", async () => {
    const [stage] = stages();
    if (!stage) throw new Error("no stage");
    const test = await testService(stage, {
      DBDEPOT_PUBLIC_URL: "https://depot.example",
      DBDEPOT_OBJECTS_PUBLIC_URL: "https://files.example",
    });
    try {
      const person = await personOf(test, "ada@example.com", "operator");
      const reply = await person.signIn();
      expect(reply.headers.getSetCookie()).toEqual([
        expect.stringMatching(/^__Host-dbdepot_session=[\w-]{43}; Path=\/; .*; HttpOnly; SameSite=Lax; Secure$/),
      ]);
      expect(await person.isSignedIn()).toBe(true);
      // Another subdomain could have set a cookie without the prefix.
      const unprefixed = person.cookie?.replace("__Host-", "");
      expect(await new Person(test.service.apiUrl, "", unprefixed).isSignedIn()).toBe(false);
      expect(reply.json.api_url).toBe("https://depot.example");
    } finally {
      await test.dispose();
    }
  });
});

describe("signing in", () => {
  it("is throttled per account and network, and per network, but right passwords don't count", async () => {
    const [stage] = stages();
    if (!stage) throw new Error("no stage");
    const test = await testService(stage, { DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32" });
    try {
      const ada = await personOf(test, "ada@example.com", "operator");
      const bob = await personOf(test, "bob@example.com", "operator");
      const from = (address: string, email: string, password = "wrong") =>
        new Person(test.service.apiUrl, email).send("POST", "/api/console/session", {
          body: { email, password },
          headers: { "x-forwarded-for": address },
        });
      for (let i = 0; i < 12; i++) expect((await ada.signIn()).status).toBe(200);
      for (let i = 0; i < 10; i++) expect((await from("192.0.2.99", ada.email)).status).toBe(401);
      const limited = await from("192.0.2.99", ada.email, PASSWORD);
      expectRefusal(limited, 429, "RATE_LIMITED");
      expect(Number(limited.headers.get("retry-after"))).toBe(30);
      expect((await from("192.0.2.99", bob.email, PASSWORD)).status).toBe(200);
      // The owner elsewhere is not affected, nor is anything but signing in.
      expect((await from("192.0.2.1", ada.email, PASSWORD)).status).toBe(200);
      const here = { "x-forwarded-for": "192.0.2.99" };
      const reset = { body: { email: ada.email }, headers: here };
      expect((await ada.send("POST", "/api/console/password-resets", reset)).status).toBe(202);
      const change = { body: { current: PASSWORD, password: PASSWORD }, headers: here };
      expect((await ada.send("PUT", "/api/console/password", change)).status).toBe(204);
      test.clock.advance("30 seconds");
      expect((await from("192.0.2.99", ada.email, PASSWORD)).status).toBe(200);
      const unknown = Array.from({ length: 50 }, (_, i) => from("198.51.100.7", `guess${i}@example.com`));
      for (const reply of await Promise.all(unknown)) expect(reply.status).toBe(401);
      expect((await from("198.51.100.7", bob.email, PASSWORD)).status).toBe(429);
      expect((await from("198.51.100.8", bob.email, PASSWORD)).status).toBe(200);
    } finally {
      await test.dispose();
    }
  });
});
