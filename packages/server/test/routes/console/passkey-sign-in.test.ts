import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import type { SecretHash } from "../../../src/domain/access/secret.ts";
import { Token } from "../../../src/domain/access/token.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { Authenticator, addPasskey } from "./authenticator.ts";
import { PASSWORD, Person, personOf } from "./person.ts";

const SIGN_IN = "/api/console/session/passkey";

for (const stage of eitherStage()) {
  describe(`signing in with a passkey alone on ${stage.name}`, () => {
    let test: TestService;
    beforeAll(async () => {
      test = await testService(stage, {
        DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8",
        DBDEPOT_REQUIRE_TWO_FACTOR: "operators",
      });
      await test.operator.customer("Acme");
    });
    afterAll(() => test.dispose());

    const modernAuthenticator = (apiUrl = test.service.apiUrl) =>
      Object.assign(new Authenticator(apiUrl), { isDiscoverable: true, checksPerson: true });

    /** A person with a passkey that signs in alone. */
    async function passkeyPerson(email: string, organization = "Acme") {
      const person = await personOf(test, email, "viewer", organization);
      const authenticator = modernAuthenticator();
      const added = await addPasskey(person, authenticator);
      expect(added.json.passkey.signs_in_alone).toBe(true);
      return { person, authenticator, passkeyId: added.json.passkey.id as string };
    }

    const stranger = () => new Person(test.service.apiUrl, "unknown");
    const begin = async (browser = stranger()) => (await browser.post(`${SIGN_IN}/options`)).json;
    /** Signs what the server asks for, and returns the response. */
    async function signIn(authenticator: Authenticator, browser = stranger(), change = (response: object) => response) {
      const { token, options } = await begin(browser);
      return browser.post(SIGN_IN, { token, response: change(authenticator.use(options)) });
    }

    it("signs in without a password, as two factors, and writes an audit entry", async () => {
      const { person, authenticator, passkeyId } = await passkeyPerson("ada@acme.example");
      const browser = stranger();
      const { token, options } = await begin(browser);
      expect(options).toMatchObject({ rpId: "localhost", userVerification: "required" });
      expect(options.allowCredentials ?? []).toEqual([]);
      expect(browser.cookie).toBeUndefined();
      const { json } = await browser.post(SIGN_IN, { token, response: authenticator.use(options) });
      expect(json).toMatchObject({ account: { email: "ada@acme.example" }, second_factor: null });
      expect(await browser.isSignedIn()).toBe(true);
      const [entry] = await test.service.services.store.audit.list({ subjects: [person.id], limit: 1 });
      expect(entry).toMatchObject({
        action: "account.signed_in",
        actor: "account:ada@acme.example",
        after: { method: "passkey", secondFactor: "passkey" },
      });
      const { passkeys } = (await browser.get("/api/console/security")).json;
      expect(passkeys).toMatchObject([{ id: passkeyId, last_used: expect.any(String), signs_in_alone: true }]);
      // The person is asked for the password or the passkey again before anything about it changes.
      expect((await browser.post("/api/console/recovery-codes", {})).status).toBe(401);
      const confirmation = (await browser.post("/api/console/confirmation/options")).json;
      const passkey = { token: confirmation.token, response: authenticator.use(confirmation.options) };
      expect((await browser.post("/api/console/recovery-codes", { passkey })).status).toBe(200);
    });

    it("gives operators who need a second factor everything", async () => {
      const root = await personOf(test, "root@vendor.example", "operator");
      const authenticator = modernAuthenticator();
      await addPasskey(root, authenticator);
      const browser = stranger();
      expect((await signIn(authenticator, browser)).json.needs_passkey).toBe(false);
      expect((await browser.get("/api/operator/organizations")).status).toBe(200);
    });

    it("refuses every response that is not this person's, for this page, now and once", async () => {
      const { authenticator } = await passkeyPerson("hostile@acme.example");
      const victim = await passkeyPerson("victim@acme.example");
      const { origin } = authenticator;
      const refusals = {
        "an unknown passkey": await signIn(modernAuthenticator()),
        "someone else's credential id": await signIn(authenticator, stranger(), (response) => ({
          ...response,
          id: victim.authenticator.id,
          rawId: victim.authenticator.id,
        })),
        "someone else's account": await signIn(authenticator, stranger(), (used) => {
          const { response } = used as { response: object };
          const userHandle = Buffer.from(victim.person.id).toString("base64url");
          return { ...used, response: { ...response, userHandle } };
        }),
        "no account": await signIn(authenticator, stranger(), (used) => {
          const { response } = used as { response: object };
          return { ...used, response: { ...response, userHandle: undefined } };
        }),
        "another origin": await signIn(Object.assign(authenticator, { origin: "http://localhost:1" })),
        nothing: await signIn(authenticator, stranger(), () => ({})),
        numbers: await signIn(authenticator, stranger(), () => ({ id: 1, response: 2 })),
      };
      authenticator.origin = origin;
      const unchecked = await signIn(Object.assign(authenticator, { checksPerson: false }));
      expect(unchecked.status).toBe(401);
      authenticator.checksPerson = true;
      for (const [what, { status, json }] of Object.entries(refusals)) {
        expect([what, status, json.rc]).toEqual([what, 401, "INVALID_CREDENTIALS"]);
      }
      expect((await signIn(authenticator)).status).toBe(200);
    });

    it("accepts a challenge once, within five minutes, and only of a sign-in without a password", async () => {
      const { person, authenticator } = await passkeyPerson("replay@acme.example");
      const { token, options } = await begin();
      const body = { token, response: authenticator.use(options) };
      expect((await stranger().post(SIGN_IN, body)).status).toBe(200);
      expect((await stranger().post(SIGN_IN, body)).status).toBe(401);
      // A wrong answer uses it up, too.
      const wrong = await begin();
      expect((await stranger().post(SIGN_IN, { token: wrong.token, response: {} })).status).toBe(401);
      const right = { token: wrong.token, response: authenticator.use(wrong.options) };
      expect((await stranger().post(SIGN_IN, right)).status).toBe(401);
      // Each challenge belongs to its own token.
      const [one, other] = [await begin(), await begin()];
      const mixed = { token: one.token, response: authenticator.use(other.options) };
      expect((await stranger().post(SIGN_IN, mixed)).status).toBe(401);
      const second = (await new Person(person.apiUrl, person.email).signIn()).json.second_factor;
      const factor = { token: second.token, response: authenticator.use(second.options) };
      expect((await stranger().post(SIGN_IN, factor)).status).toBe(401);
      const open = await begin();
      const used = { token: open.token, response: authenticator.use(open.options) };
      expect((await stranger().post(`/api/console/session/second-factor`, used)).status).toBe(401);
      const late = await begin();
      test.clock.advance("301 seconds");
      expect(
        (await stranger().post(SIGN_IN, { token: late.token, response: authenticator.use(late.options) })).status,
      ).toBe(401);
      test.clock.advance("3600 seconds");
    });

    it("refuses an authenticator that did not check the person, which works after the password", async () => {
      const person = await personOf(test, "simple@acme.example", "viewer", "Acme");
      const authenticator = new Authenticator(test.service.apiUrl);
      expect((await addPasskey(person, authenticator)).json.passkey.signs_in_alone).toBe(false);
      expect((await signIn(authenticator)).status).toBe(401);
      const browser = new Person(person.apiUrl, person.email);
      const { token, options } = (await browser.signIn()).json.second_factor;
      const response = authenticator.use(options);
      expect((await browser.post("/api/console/session/second-factor", { token, response })).status).toBe(200);
    });

    it("recognizes a passkey from before that signs in alone", async () => {
      const person = await personOf(test, "old@acme.example", "viewer", "Acme");
      const authenticator = new Authenticator(test.service.apiUrl);
      await addPasskey(person, authenticator);
      Object.assign(authenticator, { isDiscoverable: true, checksPerson: true });
      expect((await signIn(authenticator)).status).toBe(200);
      expect((await person.get("/api/console/security")).json.passkeys).toMatchObject([{ signs_in_alone: true }]);
    });

    it("refuses a counter that went back", async () => {
      const { authenticator } = await passkeyPerson("clone@acme.example");
      authenticator.counter = 10;
      expect((await signIn(authenticator)).status).toBe(200);
      authenticator.counter = 3;
      expect((await signIn(authenticator)).status).toBe(401);
      authenticator.counter = 20;
      expect((await signIn(authenticator)).status).toBe(200);
    });

    it("refuses people who may not sign in with a password", async () => {
      const { store } = test.service.services;
      const { organizationId } = await test.operator.customer("Globex");
      const { person, authenticator } = await passkeyPerson("bob@globex.example", "Globex");
      const status = async () => (await signIn(authenticator)).status;
      const root = await personOf(test, "admin@globex.example", "admin", "Globex");
      const disable = (disabled: boolean) =>
        root.send("PATCH", `/api/console/accounts/${person.id}`, { body: { disabled } });
      expect((await disable(true)).status).toBe(200);
      expect(await status()).toBe(401);
      expect((await disable(false)).status).toBe(200);
      expect(await status()).toBe(200);
      await updateOrganization(test.operator.operation(), organizationId, { isArchived: true });
      expect(await status()).toBe(401);
      await updateOrganization(test.operator.operation(), organizationId, { isArchived: false });
      expect(await status()).toBe(200);
      await store.change((tables) => tables.accounts.setPasswordHash(person.id, null));
      expect(await status()).toBe(401);
      test.clock.advance("3600 seconds");
    });

    it("refuses a passkey that was removed", async () => {
      const { person, authenticator, passkeyId } = await passkeyPerson("removed@acme.example");
      await person.post(`/api/console/passkeys/${passkeyId}/remove`, { password: PASSWORD });
      expect((await signIn(authenticator)).status).toBe(401);
    });

    it("limits attempts like passwords", async () => {
      const { authenticator } = await passkeyPerson("limited@acme.example");
      const headers = { "x-forwarded-for": "198.51.100.7" };
      const send = async (path: string, body?: object) => stranger().send("POST", path, { body, headers });
      const guesses = [];
      for (let guess = 0; guess < 51; guess++) {
        guesses.push((await send(SIGN_IN, { token: "x".repeat(43), response: {} })).status);
      }
      expect(guesses).toEqual([...Array(50).fill(401), 429]);
      const { token, options } = (await send(`${SIGN_IN}/options`)).json;
      expectRefusal(await send(SIGN_IN, { token, response: authenticator.use(options) }), 429, "RATE_LIMITED");
      // Others are not affected.
      expect((await signIn(authenticator)).status).toBe(200);
      const asked = [];
      for (let count = 0; count < 200; count++) asked.push((await send(`${SIGN_IN}/options`)).status);
      expect(new Set(asked.slice(0, -1))).toEqual(new Set([200]));
      expect(asked.at(-1)).toBe(429);
    });

    it("leaves no expired challenge behind", async () => {
      const { twoFactor } = test.service.services.store;
      const { token } = await begin();
      test.clock.advance("301 seconds");
      await begin();
      expect(await twoFactor.takeOpenChallenge(Token.parse(token)?.hash() as SecretHash)).toBeUndefined();
    });
  });
}
