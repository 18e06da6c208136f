import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { DAY_MS } from "../../../src/platform/primitives/dates.ts";
import { PASSWORD, Person, personOf, tokenOf } from "./person.ts";

for (const stage of eitherStage()) {
  describe(`one-time links on ${stage.name}`, () => {
    let test: TestService;
    let root: Person;
    let stranger: Person;
    beforeAll(async () => {
      test = await testService(stage);
      await test.operator.customer("Acme");
      root = await personOf(test, "root@example.com", "operator");
      stranger = new Person(test.service.apiUrl, "");
    });
    afterAll(() => test.dispose());

    async function invite(email: string) {
      const reply = await root.post("/api/console/accounts", {
        email,
        role: "admin",
        organization: "Acme",
        name: "Ada",
      });
      expect(reply.status).toBe(200);
      return { id: reply.json.account.id as string, token: tokenOf(reply), reply };
    }
    const inspect = (token: string) => stranger.post("/api/console/links/inspect", { token });
    const accept = (token: string, more: object = { password: PASSWORD }) =>
      new Person(test.service.apiUrl, "").post("/api/console/links/accept", { token, ...more });

    it("invite a person, who sets a password and is signed in", async () => {
      const { token, reply } = await invite("ada@example.com");
      expect(reply.json).toMatchObject({ mailed: false, account: { state: "invited", last_sign_in: null } });
      expect(reply.json.link).toBe(`${test.service.apiUrl}/console/accept#token=${token}`);
      expect((await inspect(token)).json).toMatchObject({
        purpose: "invitation",
        email: "ada@example.com",
        name: "Ada",
        role: "admin",
        organization: { name: "Acme" },
        expires: new Date(test.clock.now().getTime() + 7 * DAY_MS).toISOString(),
      });
      const accepted = await accept(token, { password: PASSWORD, name: "Ada Lovelace" });
      expect(accepted.json.account).toMatchObject({ email: "ada@example.com", name: "Ada Lovelace" });
      expect(accepted.headers.getSetCookie()).toHaveLength(1);
      const [account] = (await root.get("/api/console/accounts?limit=1")).json.accounts;
      expect(account).toMatchObject({ state: "active", name: "Ada Lovelace" });
      expect((await new Person(test.service.apiUrl, "ada@example.com").signIn()).status).toBe(200);
    });

    it("work once, even if they are used twice at the same time", async () => {
      const { token } = await invite("bob@example.com");
      const both = await Promise.all([accept(token), accept(token, { password: "another good password" })]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
      expectRefusal(await accept(token), 410, "INVALID_LINK");
      expectRefusal(await inspect(token), 410, "INVALID_LINK");
    });

    it("stop working when they expire, are replaced, or the account is disabled", async () => {
      const { token: old, id } = await invite("carl@example.com");
      const token = tokenOf(await root.post(`/api/console/accounts/${id}/link`));
      expect((await inspect(old)).status).toBe(410);
      expect((await inspect(token)).status).toBe(200);
      await root.send("PATCH", `/api/console/accounts/${id}`, { body: { disabled: true } });
      expect((await accept(token)).status).toBe(410);
      await root.send("PATCH", `/api/console/accounts/${id}`, { body: { disabled: false } });
      expect((await accept(token)).status).toBe(410);
      const last = tokenOf(await root.post(`/api/console/accounts/${id}/link`));
      test.clock.advance("7 days");
      expect((await accept(last)).status).toBe(410);
      await root.signIn();
    });

    it("are refused if they are malformed or unknown", async () => {
      for (const token of ["", "x", "a".repeat(43), "dbdepot_session", "%00"]) {
        expectRefusal(await inspect(token), 410, "INVALID_LINK");
        expectRefusal(await accept(token), 410, "INVALID_LINK");
      }
    });

    it("are not used up by a missing or short password", async () => {
      const { token } = await invite("dora@example.com");
      for (const more of [{}, { password: "too short" }, { password: PASSWORD, extra: 1 }]) {
        const reply = await accept(token, more);
        expect([reply.status, reply.json.rc]).toEqual([400, "INVALID_REQUEST"]);
        expect(reply.json.message).toMatch(/\w/);
      }
      expect((await accept(token)).status).toBe(200);
    });

    it("reset a forgotten password and end all sessions", async () => {
      const eve = await personOf(test, "eve@example.com", "viewer", "Acme");
      const reply = await root.post(`/api/console/accounts/${eve.id}/link`);
      expect(reply.json).toMatchObject({ purpose: "reset", mailed: false });
      expect((await accept(tokenOf(reply), { password: "a brand new password" })).status).toBe(200);
      expect(await eve.isSignedIn()).toBe(false);
      expect((await eve.signIn()).status).toBe(401);
      expect((await eve.signIn("a brand new password")).status).toBe(200);
    });

    it("can be asked for by anyone, who learns nothing from the response", async () => {
      for (const email of ["eve@example.com", "stranger@example.com"]) {
        const reply = await stranger.post("/api/console/password-resets", { email });
        expect([reply.status, reply.text]).toEqual([202, ""]);
      }
    });

    it("are recorded in the audit log without their tokens", async () => {
      const { token, id } = await invite("fay@example.com");
      await accept(token);
      const { entries } = (await root.get("/api/operator/audit?subject=fay@example.com")).json;
      const actions = entries.map(({ action, actor }: { action: string; actor: string }) => [action, actor]);
      expect(actions).toEqual([
        ["account.signed_in", "account:fay@example.com"],
        ["account.link_accepted", "account:fay@example.com"],
        ["account.invited", "account:root@example.com"],
      ]);
      expect(entries[0].subject).toBe(id);
      expect(JSON.stringify(entries) + test.logs()).not.toContain(token);
    });
  });
}
