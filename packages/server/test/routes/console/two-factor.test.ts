import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { issueLink } from "../../../src/domain/accounts/accounts.ts";
import { parseSettings } from "../../../src/settings/settings.ts";
import { Authenticator, addPasskey } from "./authenticator.ts";
import { PASSWORD, Person, personOf } from "./person.ts";

const FACTOR = "/api/console/session/second-factor";

for (const stage of eitherStage()) {
  describe(`two-factor sign-in on ${stage.name}`, () => {
    let test: TestService;
    let root: Person & { id: string };
    beforeAll(async () => {
      test = await testService(stage, { DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8" });
      await test.operator.customer("Acme");
      root = await personOf(test, "root@vendor.example", "operator");
    });
    afterAll(() => test.dispose());

    /** A person with a passkey and recovery codes. */
    async function protectedPerson(email: string) {
      const person = await personOf(test, email, "viewer", "Acme");
      const authenticator = new Authenticator(test.service.apiUrl);
      const added = await addPasskey(person, authenticator);
      expect(added.status).toBe(200);
      return { person, authenticator, codes: added.json.recovery_codes as string[] };
    }

    const elsewhere = (person: Person) => new Person(person.apiUrl, person.email);
    const audited = async (subject: string) =>
      (await test.service.services.store.audit.list({ subjects: [subject], limit: 20 })).map(({ action }) => action);

    it("asks for the passkey after the password, and signs nobody in before", async () => {
      const other = await personOf(test, "ada@acme.example", "viewer", "Acme");
      const browser = await other.elsewhere();
      const authenticator = new Authenticator(test.service.apiUrl);
      const added = await addPasskey(other, authenticator);
      expect(added.json).toMatchObject({ passkey: { name: "Blue key", last_used: null } });
      expect(added.json.recovery_codes).toHaveLength(10);
      // Other browsers were signed in with the password alone.
      expect([await other.isSignedIn(), await browser.isSignedIn()]).toEqual([true, false]);

      const ada = elsewhere(other);
      const half = await ada.signIn();
      expect(half.json).toMatchObject({ account: null, second_factor: { options: { rpId: "localhost" } } });
      expect(half.headers.getSetCookie()).toEqual([]);
      const { token, options } = half.json.second_factor;
      for (const cookie of [`dbdepot_session=${token}`, undefined]) {
        ada.cookie = cookie;
        expectRefusal(await ada.get("/api/console/sessions"), 401, "UNAUTHORIZED");
      }
      const thief = new Authenticator(test.service.apiUrl);
      const wrong = [
        thief.use(options),
        { ...thief.use(options), id: authenticator.create(options).id },
        authenticator.use({ challenge: "AAAA" }),
        authenticator.create(options),
        {},
      ];
      for (const response of wrong) {
        const reply = await ada.post(FACTOR, { token, response });
        expect([reply.status, reply.json.rc]).toEqual([401, "INVALID_CREDENTIALS"]);
      }
      const response = authenticator.use(options);
      expect((await ada.post(FACTOR, { token, response })).json.account.email).toBe("ada@acme.example");
      expect(await ada.isSignedIn()).toBe(true);
      // A signature works once.
      expect((await elsewhere(ada).post(FACTOR, { token, response })).status).toBe(401);
      const { passkeys } = (await ada.get("/api/console/security")).json;
      expect(passkeys[0].last_used).not.toBeNull();
      expect(await audited(other.id)).toEqual(expect.arrayContaining(["account.passkey_added", "account.signed_in"]));
    });

    it("refuses an authenticator whose counter went back, and answers that come too late", async () => {
      const { person, authenticator } = await protectedPerson("clone@acme.example");
      authenticator.counter = 10;
      const browser = elsewhere(person);
      const first = (await browser.signIn()).json.second_factor;
      const response = authenticator.use(first.options);
      expect((await browser.post(FACTOR, { token: first.token, response })).status).toBe(200);
      authenticator.counter = 3;
      const second = (await browser.signIn()).json.second_factor;
      const cloned = authenticator.use(second.options);
      expect((await browser.post(FACTOR, { token: second.token, response: cloned })).status).toBe(401);
      authenticator.counter = 20;
      const late = authenticator.use(second.options);
      test.clock.advance("301 seconds");
      expect((await browser.post(FACTOR, { token: second.token, response: late })).status).toBe(401);
    });

    it("accepts each recovery code once, however it is typed, and stores only hashes", async () => {
      const { person, codes } = await protectedPerson("codes@acme.example");
      const [code = ""] = codes;
      expect(code).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
      const answer = async (text: string) => {
        const browser = elsewhere(person);
        const { token } = (await browser.signIn()).json.second_factor;
        return (await browser.post(FACTOR, { token, code: text })).status;
      };
      expect([await answer(` ${code.toUpperCase().replaceAll("-", " ")} `), await answer(code)]).toEqual([200, 401]);
      expect((await person.get("/api/console/security")).json.recovery_codes).toBe(9);
      const content = await test.databaseContent();
      for (const each of codes) expect(content).not.toContain(each.replaceAll("-", ""));
      const renewed = (await person.post("/api/console/recovery-codes", { password: PASSWORD })).json.recovery_codes;
      expect(renewed).toHaveLength(10);
      expect([await answer(codes[1] ?? ""), await answer(renewed[0])]).toEqual([401, 200]);
    });

    it("limits guesses like passwords", async () => {
      const { person, codes } = await protectedPerson("guessed@acme.example");
      const browser = elsewhere(person);
      const { token } = (await browser.signIn()).json.second_factor;
      const guesses = [];
      for (let guess = 0; guess < 11; guess++) guesses.push((await browser.post(FACTOR, { token, code: "x" })).status);
      expect(guesses).toEqual([...Array(10).fill(401), 429]);
      expectRefusal(await browser.post(FACTOR, { token, code: codes[0] }), 429, "RATE_LIMITED");
      test.clock.advance("30 seconds");
      expect((await browser.post(FACTOR, { token, code: codes[0] })).status).toBe(200);
      test.clock.advance("3600 seconds");
    });

    it("is also needed after a password reset", async () => {
      const { person, authenticator } = await protectedPerson("reset@acme.example");
      const { token: link } = await issueLink(test.operator.operation(), undefined, "reset@acme.example");
      const body = { token: link.reveal(), password: "another good password" };
      const browser = elsewhere(person);
      const { json, headers } = await browser.post("/api/console/links/accept", body);
      expect([json.account, headers.getSetCookie()]).toEqual([null, []]);
      const { token, options } = json.second_factor;
      expect((await browser.post(FACTOR, { token, response: authenticator.use(options) })).status).toBe(200);
    });

    it("limits guesses for one sign-in, whatever networks they come from", async () => {
      const { person, authenticator, codes } = await protectedPerson("botnet@acme.example");
      const browser = elsewhere(person);
      const { token } = (await browser.signIn()).json.second_factor;
      const guess = async (network: number, body: object) => {
        const headers = { "x-forwarded-for": `198.51.100.${network}` };
        return (await browser.send("POST", FACTOR, { body: { token, ...body }, headers })).status;
      };
      for (let network = 0; network < 10; network++) expect(await guess(network, { code: "x" })).toBe(401);
      expect([await guess(10, { code: "x" }), await guess(11, { code: codes[0] })]).toEqual([429, 429]);
      // The owner, who signs in again, is not affected.
      const next = (await browser.signIn()).json.second_factor;
      const body = { token: next.token, response: authenticator.use(next.options) };
      expect((await browser.post(FACTOR, body)).status).toBe(200);
    });

    it("asks for the password or a passkey again before anything about it changes", async () => {
      const { person, authenticator } = await protectedPerson("confirming@acme.example");
      const passkeys = async () => (await person.get("/api/console/security")).json.passkeys;
      const [{ id }] = await passkeys();
      const changes = ["passkeys/options", `passkeys/${id}/remove`, "recovery-codes"];
      const change = async (path: string, proof: object) => (await person.post(`/api/console/${path}`, proof)).status;
      const sign = async (by: Authenticator) => {
        const { token, options } = (await person.post("/api/console/confirmation/options")).json;
        return { passkey: { token, response: by.use(options) } };
      };
      const other = await protectedPerson("confirming-other@acme.example");
      const { token, options } = (await other.person.post("/api/console/confirmation/options")).json;
      const foreign = { passkey: { token, response: other.authenticator.use(options) } };
      const pending = (await elsewhere(person).signIn()).json.second_factor;
      const signInProof = { passkey: { token: pending.token, response: authenticator.use(pending.options) } };
      const thief = await sign(new Authenticator(test.service.apiUrl));
      for (const proof of [{}, { password: "wrong" }, foreign, signInProof, thief]) {
        for (const path of changes) expect([path, await change(path, proof)]).toEqual([path, 401]);
        test.clock.advance("600 seconds");
      }
      expect(await passkeys()).toHaveLength(1);
      const used = await sign(authenticator);
      expect(await change("recovery-codes", used)).toBe(200);
      // A signature works once.
      expect(await change("recovery-codes", used)).toBe(401);
      for (const path of ["passkeys/options", "recovery-codes"]) {
        expect(await change(path, await sign(authenticator))).toBe(200);
        expect(await change(path, { password: PASSWORD })).toBe(200);
      }
    });

    it("asks someone without a password to have signed in recently", async () => {
      const { person } = await protectedPerson("provider@acme.example");
      await test.service.services.store.change((tables) => tables.accounts.setPasswordHash(person.id, null));
      const renew = () => person.post("/api/console/recovery-codes", {});
      expect((await renew()).status).toBe(200);
      test.clock.advance("901 seconds");
      expect((await renew()).json).toEqual({ rc: "CONFLICT", message: expect.stringContaining("sign in again") });
    });

    it("removes the codes with the last passkey", async () => {
      const { person } = await protectedPerson("removing@acme.example");
      const second = await addPasskey(person, new Authenticator(test.service.apiUrl), "");
      expect(second.json).toMatchObject({ passkey: { name: "Passkey" }, recovery_codes: null });
      const [{ id: firstId }, { id: secondId }] = (await person.get("/api/console/security")).json.passkeys;
      const remove = (id: string, body: object = {}) => person.post(`/api/console/passkeys/${id}/remove`, body);
      expect((await remove(firstId, { password: PASSWORD })).status).toBe(204);
      for (const body of [{}, { password: "wrong" }]) expect((await remove(secondId, body)).status).toBe(401);
      expect((await remove(secondId, { password: PASSWORD })).status).toBe(204);
      const { json } = await person.get("/api/console/security");
      expect(json).toMatchObject({ passkeys: [], recovery_codes: 0 });
      expect((await elsewhere(person).signIn()).json.account.email).toBe(person.email);
      expect((await remove(secondId, { password: PASSWORD })).json).toEqual({
        rc: "NOT_FOUND",
        message: "there is no such passkey",
      });
    });

    it("can be reset by an operator only", async () => {
      const { person } = await protectedPerson("lost@acme.example");
      const admin = await personOf(test, "admin@acme.example", "admin", "Acme");
      const { accounts } = (await root.get("/api/console/accounts?org=Acme")).json;
      const { id } = accounts.find(({ email }: { email: string }) => email === person.email);
      const reset = (by: Person) => by.send("DELETE", `/api/console/accounts/${id}/second-factor`);
      expectRefusal(await reset(admin), 401, "UNAUTHORIZED");
      expect((await reset(root)).status).toBe(204);
      expect(await person.isSignedIn()).toBe(false);
      expect((await elsewhere(person).signIn()).json.account.email).toBe(person.email);
      expect(await audited(id)).toContain("account.second_factor_reset");
      expect((await root.send("DELETE", `/api/console/accounts/${id}`)).status).toBe(204);
    });

    it("changes one's own name", async () => {
      const person = await personOf(test, "name@acme.example", "viewer", "Acme");
      const renamed = await person.send("PATCH", "/api/console/account", { body: { name: " Grace Hopper " } });
      expect([renamed.status, renamed.json.name]).toEqual([200, "Grace Hopper"]);
      expect((await person.get("/api/console/session")).json.account.name).toBe("Grace Hopper");
      expect(await audited(person.id)).toContain("account.updated");
    });

    it("lets someone without a password set one, soon after they signed in", async () => {
      const person = await personOf(test, "oidc@acme.example", "viewer", "Acme");
      await test.service.services.store.change((tables) => tables.accounts.setPasswordHash(person.id, null));
      expect((await person.get("/api/console/security")).json.has_password).toBe(false);
      const set = () => person.send("PUT", "/api/console/password", { body: { password: "a first good password" } });
      test.clock.advance("901 seconds");
      const late = await set();
      expect([late.status, late.json.message]).toEqual([409, expect.stringContaining("sign in again")]);
      test.clock.advance("-901 seconds");
      expect((await set()).status).toBe(204);
      expect((await elsewhere(person).signIn("a first good password")).json.account.email).toBe(person.email);
    });
  });

  describe(`DBDEPOT_REQUIRE_TWO_FACTOR on ${stage.name}`, () => {
    it("lets operators with a password alone do nothing but add a passkey", async () => {
      const test = await testService(stage, { DBDEPOT_REQUIRE_TWO_FACTOR: "operators" });
      try {
        await test.operator.customer("Acme");
        const viewer = await personOf(test, "viewer@acme.example", "viewer", "Acme");
        expect((await viewer.get("/api/console/session")).json.needs_passkey).toBe(false);
        expect((await viewer.get("/api/console/sessions")).status).toBe(200);

        const root = await personOf(test, "root@vendor.example", "operator");
        expect((await root.get("/api/console/session")).json).toMatchObject({ needs_passkey: true });
        for (const path of ["/api/console/sessions", "/api/console/security", "/api/operator/organizations"]) {
          expectRefusal(await root.get(path), 401, "UNAUTHORIZED");
        }
        const added = await addPasskey(root, new Authenticator(test.service.apiUrl));
        expect(added.json.recovery_codes).toHaveLength(10);
        expect((await root.get("/api/operator/organizations")).status).toBe(200);
        expect((await root.get("/api/console/security")).json.two_factor_required).toBe(true);
        const removal = `/api/console/passkeys/${added.json.passkey.id}/remove`;
        const refused = await root.post(removal, { password: PASSWORD });
        expect([refused.status, refused.json.message]).toEqual([409, expect.stringContaining("add another passkey")]);
      } finally {
        await test.dispose();
      }
    });
  });
}

it("DBDEPOT_REQUIRE_TWO_FACTOR needs an address for which browsers allow passkeys", () => {
  const parse = (url: string) =>
    parseSettings({
      DBDEPOT_REQUIRE_TWO_FACTOR: "all",
      DBDEPOT_PUBLIC_URL: url,
      DBDEPOT_OBJECTS_PUBLIC_URL: "https://files.vendor.example",
    });
  expect(parse("https://depot.vendor.example").twoFactor).toBe("all");
  for (const url of ["http://depot.vendor.example", "https://192.0.2.1", "https://[2001:db8::1]"]) {
    expect(() => parse(url)).toThrow("passkeys need https:// and a host name");
  }
});
