import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type OidcServer,
  type People,
  ProviderVisitor,
  startOidcServer,
} from "../../../../../rigs/harness/servers/oidc-server.ts";
import { call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { inviteAccount, updateAccount } from "../../../src/domain/accounts/accounts.ts";
import { PASSWORD, Person, personOf, tokenOf } from "./person.ts";

const PEOPLE: People = {
  ada: { email: "Ada@Example.com", email_verified: true },
  "ada's successor": { email: "ada@example.com", email_verified: true },
  bob: { email: "bob@example.com", email_verified: true },
  mallory: { email: "root@example.com", email_verified: false },
  nameless: {},
  stranger: { email: "stranger@example.com", email_verified: true },
  eve: { email: "eve@example.com", email_verified: true },
};

for (const stage of eitherStage()) {
  describe(`OpenID Connect on ${stage.name}`, () => {
    let provider: OidcServer;
    let test: TestService;
    let root: Person;
    const people = { ...PEOPLE };
    beforeAll(async () => {
      provider = await startOidcServer(people);
      test = await testService(stage, provider.settings);
      provider.register(test.service.apiUrl);
      root = await personOf(test, "root@example.com", "operator");
    });
    afterAll(async () => {
      await test.dispose();
      await provider[Symbol.asyncDispose]();
    });

    const start = (query = "") => call(`${test.service.apiUrl}/api/console/oidc/start${query}`);
    const finish = (url: string, cookie: string) => call(url, { headers: { cookie } });
    const cookieOf = (reply: Reply) => reply.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const invite = (email: string) =>
      inviteAccount(test.operator.operation(), undefined, { email, role: "operator_viewer" });

    /** Signs in at the provider in a new browser, up to the last redirect. */
    async function signIn(name: string, query = "") {
      const started = await start(query);
      expect(started.status).toBe(302);
      const callback = await new ProviderVisitor().signIn(started.headers.get("location") ?? "", name);
      const cookie = cookieOf(started);
      return { callback, cookie, reply: await finish(callback, cookie) };
    }

    function expectProblem({ status, headers }: Reply, problem: string): void {
      expect([status, headers.get("location")]).toEqual([302, `/console/sign-in?problem=${problem}`]);
      expect(headers.getSetCookie().filter((cookie) => cookie.startsWith("dbdepot_session"))).toEqual([]);
    }

    function signedIn({ headers }: Reply): Person {
      const session = headers.getSetCookie().find((cookie) => cookie.startsWith("dbdepot_session="));
      return new Person(test.service.apiUrl, "", session?.split(";")[0]);
    }

    it("is announced to the sign-in page", async () => {
      const { json } = await new Person(test.service.apiUrl, "").get("/api/console/session");
      expect(json.sign_in).toEqual({ password: true, mail: false, oidc: { name: "Example ID" } });
    });

    it("uses the code flow with PKCE, state and nonce, and keeps the secret in a short-lived cookie", async () => {
      const started = await start();
      const { searchParams } = new URL(started.headers.get("location") ?? "");
      expect(Object.fromEntries(searchParams)).toEqual({
        client_id: "dbdepot",
        response_type: "code",
        scope: "openid email",
        redirect_uri: `${test.service.apiUrl}/api/console/oidc/callback`,
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256",
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect(started.headers.getSetCookie()).toEqual([
        expect.stringMatching(/^dbdepot_oidc=[\w.-]+; Path=\/api\/console\/oidc; Max-Age=900; HttpOnly; SameSite=Lax$/),
      ]);
    });

    it("binds an invited account by its verified address, and then goes by issuer and subject", async () => {
      const { account, token } = await invite("ada@example.com");
      const { reply } = await signIn("ada", "?to=/databases?q=vpn");
      expect([reply.status, reply.headers.get("location")]).toEqual([302, "/console/databases?q=vpn"]);
      const ada = signedIn(reply);
      expect((await ada.get("/api/console/session")).json.account.id).toBe(account.id);
      expect(reply.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^dbdepot_oidc=; .*Max-Age=0/));

      const identity = { issuer: provider.issuer, subject: "ada" };
      const { entries } = (await root.get(`/api/operator/audit?subject=${account.id}`)).json;
      expect(entries.slice(0, 2)).toMatchObject([
        {
          action: "account.signed_in",
          actor: "account:ada@example.com",
          after: { method: "oidc", issuer: provider.issuer },
        },
        { action: "account.identity_bound", actor: "account:ada@example.com", after: identity },
      ]);
      const accepted = await root.post("/api/console/links/accept", { token: token.reveal(), password: PASSWORD });
      expect(accepted.status).toBe(410);
      people.ada = { email: "married@example.com", email_verified: false };
      const again = signedIn((await signIn("ada")).reply);
      expect((await again.get("/api/console/session")).json.account.id).toBe(account.id);
      expectProblem((await signIn("ada's successor")).reply, "other_identity");
    });

    it("binds again after a reset, and passwords keep working", async () => {
      people.ada = { ...PEOPLE.ada };
      const { accounts } = (await root.get("/api/console/accounts")).json;
      const { id } = accounts.find(({ email }: { email: string }) => email === "ada@example.com");
      const token = tokenOf(await root.post(`/api/console/accounts/${id}/link`));
      const ada = new Person(test.service.apiUrl, "ada@example.com");
      expect((await ada.post("/api/console/links/accept", { token, password: PASSWORD })).status).toBe(200);
      expect((await ada.signIn()).status).toBe(200);
      expect(await signedIn((await signIn("ada's successor")).reply).isSignedIn()).toBe(true);
      expectProblem((await signIn("ada")).reply, "other_identity");
    });

    it("is refused without an account, without a verified address, and to disabled accounts", async () => {
      expectProblem((await signIn("stranger")).reply, "no_account");
      expectProblem((await signIn("mallory")).reply, "email_not_verified");
      expectProblem((await signIn("nameless")).reply, "email_not_verified");
      const { account } = await invite("bob@example.com");
      const bob = signedIn((await signIn("bob")).reply);
      expect(await bob.isSignedIn()).toBe(true);
      await updateAccount(test.operator.operation(), undefined, account.id, { isDisabled: true });
      expect(await bob.isSignedIn()).toBe(false);
      expectProblem((await signIn("bob")).reply, "account_disabled");
    });

    it("is refused with a wrong state, in another browser, and with a code that was used", async () => {
      await invite("eve@example.com");
      const started = await start();
      const callback = await new ProviderVisitor().signIn(started.headers.get("location") ?? "", "eve");
      const forged = new URL(callback);
      forged.searchParams.set("state", "a".repeat(43));
      expectProblem(await finish(forged.href, cookieOf(started)), "sign_in_failed");
      expectProblem(await finish(callback, ""), "sign_in_failed");
      expectProblem(await finish(callback, cookieOf(await start())), "sign_in_failed");
      expect(await signedIn(await finish(callback, cookieOf(started))).isSignedIn()).toBe(true);
      expectProblem(await finish(callback, cookieOf(started)), "sign_in_failed");
    });

    it("returns to the sign-in page if the person declines", async () => {
      const started = await start();
      const { searchParams } = new URL(started.headers.get("location") ?? "");
      const query = new URLSearchParams({
        error: "access_denied",
        state: searchParams.get("state") ?? "",
        iss: provider.issuer,
      });
      const callback = `${test.service.apiUrl}/api/console/oidc/callback?${query}`;
      expectProblem(await finish(callback, cookieOf(started)), "declined");
    });

    it("never leads to another site", async () => {
      for (const to of ["https://evil.example", "evil.example", "", "/a%0d%0ab"]) {
        expect([to, (await start(`?to=${to}`)).status]).toEqual([to, 400]);
      }
      for (const to of ["//evil.example", "/\\evil.example", "/@evil.example"]) {
        const { reply } = await signIn("eve", `?to=${encodeURIComponent(to)}`);
        const location = new URL(reply.headers.get("location") ?? "", test.service.apiUrl);
        expect([to, location.origin]).toEqual([to, test.service.apiUrl]);
      }
    });

    it("reports a provider that is down, and works again when it is back", async () => {
      const started = await start();
      const callback = await new ProviderVisitor().signIn(started.headers.get("location") ?? "", "eve");
      provider.setDown(true);
      expectProblem(await finish(callback, cookieOf(started)), "provider_unreachable");
      provider.setDown(false);
      expect(await signedIn((await signIn("eve")).reply).isSignedIn()).toBe(true);
    });

    it("is throttled per address", async () => {
      const started = await start();
      const forged = `${test.service.apiUrl}/api/console/oidc/callback?code=guess&state=${"a".repeat(43)}`;
      const problems = new Set<string | null>();
      for (let guess = 0; guess < 51; guess++) {
        problems.add((await finish(forged, cookieOf(started))).headers.get("location"));
      }
      expect([...problems].at(-1)).toBe("/console/sign-in?problem=too_many_attempts");
      test.clock.advance("10 seconds");
    });

    it("keeps no secret in the log", async () => {
      expect(test.logs()).toContain("sign-in with the OpenID Connect provider failed");
      expect(test.logs()).not.toContain(provider.settings.DBDEPOT_OIDC_CLIENT_SECRET);
    });
  });
}

describe("a provider that is down when the server starts", () => {
  it("does not stop the server, and is asked again by the next person", async () => {
    const [stage] = stages();
    if (!stage) throw new Error("no stage");
    await using provider = await startOidcServer(PEOPLE);
    provider.setDown(true);
    const test = await testService(stage, provider.settings);
    try {
      provider.register(test.service.apiUrl);
      const start = () => call(`${test.service.apiUrl}/api/console/oidc/start`);
      expect((await start()).headers.get("location")).toBe("/console/sign-in?problem=provider_unreachable");
      provider.setDown(false);
      expect((await start()).headers.get("location")).toMatch(provider.issuer);
    } finally {
      await test.dispose();
    }
  });
});
