import * as oauth from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { type Person, personOf } from "../console/person.ts";
import {
  codeRequest,
  DEVICE_GRANT,
  decide,
  discover,
  pollDevice,
  post,
  REDIRECT,
  refresh,
  signInWith,
  startDevice,
  statusOf,
} from "./program.ts";

const PROGRAMS = "desktop=Desktop app,https://app.example.com/callback";
const NOWHERE = "A".repeat(43);

for (const stage of eitherStage()) {
  describe(`bad requests of programs on ${stage.name}`, () => {
    let test: TestService;
    let apiUrl: string;
    let admin: Person & { id: string };
    let viewer: Person & { id: string };
    let operator: Person & { id: string };
    beforeAll(async () => {
      test = await testService(stage, { DBDEPOT_OAUTH_CLIENTS: PROGRAMS, DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8" });
      apiUrl = test.service.apiUrl;
      await test.operator.customer("Acme");
      await test.operator.customer("Globex");
      admin = await personOf(test, "ada@example.com", "admin", "Acme");
      viewer = await personOf(test, "vic@example.com", "viewer", "Acme");
      operator = await personOf(test, "op@example.com", "operator");
    });
    afterAll(() => test.dispose());

    const keyCount = async () => (await test.service.services.store.keys.list({})).length;
    /** Nothing may be issued for a request that is refused. */
    async function expectRefused(send: () => Promise<{ status: number; json: unknown }>, error: string) {
      const before = await keyCount();
      const { status, json } = await send();
      expect({ status, json }).toEqual({ status: 400, json: { error, error_description: expect.any(String) } });
      expect(await keyCount()).toBe(before);
    }

    it("get OAuth's errors instead of {rc}", async () => {
      const token = (form: Record<string, string>) => () => post(apiUrl, "token", form);
      await expectRefused(token({ grant_type: "refresh_token" }), "invalid_request");
      await expectRefused(token({ grant_type: "refresh_token", client_id: "dbdepot-cli" }), "invalid_request");
      await expectRefused(token({ grant_type: "password", client_id: "dbdepot-cli" }), "unsupported_grant_type");
      await expectRefused(() => pollDevice(apiUrl, NOWHERE, "stranger"), "invalid_client");
      await expectRefused(() => pollDevice(apiUrl, NOWHERE), "expired_token");
      await expectRefused(() => refresh(apiUrl, NOWHERE), "invalid_grant");
      await expectRefused(() => post(apiUrl, "device_authorization", { client_id: "stranger" }), "invalid_client");
      await expectRefused(
        () => post(apiUrl, "device_authorization", { client_id: "dbdepot-cli", resource: "https://other.example" }),
        "invalid_target",
      );
      for (const scope of ["nope", "openid profile", "operator.write"]) {
        const form = { client_id: "dbdepot-cli", scope };
        await expectRefused(() => post(apiUrl, "device_authorization", form), "invalid_scope");
      }
      await expectRefused(
        () => call(`${apiUrl}/oauth/token`, { method: "POST", body: new URLSearchParams("client_id=a&client_id=b") }),
        "invalid_request",
      );
      const json = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
      for (const endpoint of ["token", "device_authorization", "revoke"]) {
        const reply = await call(`${apiUrl}/oauth/${endpoint}`, json);
        expect({ status: reply.status, error: reply.json.error }).toEqual({ status: 415, error: "invalid_request" });
      }
    });

    it("cannot use a device code of another program, an expired one, or one twice", async () => {
      const { device_code, user_code } = await startDevice(apiUrl);
      await admin.post("/api/console/sign-ins/approve", { user_code, days: 30 });
      await expectRefused(() => pollDevice(apiUrl, device_code, "internetdata-cli"), "expired_token");
      expect((await pollDevice(apiUrl, device_code)).status).toBe(200);
      await expectRefused(() => pollDevice(apiUrl, device_code), "expired_token");
      const late = await startDevice(apiUrl);
      test.clock.advance("901 seconds");
      await expectRefused(() => pollDevice(apiUrl, late.device_code), "expired_token");
      const code = { user_code: late.user_code };
      expect((await admin.post("/api/console/sign-ins/inspect", code)).status).toBe(404);
      expect((await admin.post("/api/console/sign-ins/approve", { ...code, days: 30 })).status).toBe(404);
    });

    it("get access_denied after a person denied them, and the code cannot be approved any more", async () => {
      const { device_code, user_code } = await startDevice(apiUrl);
      expect((await admin.post("/api/console/sign-ins/deny", { user_code })).status).toBe(200);
      expect((await admin.post("/api/console/sign-ins/approve", { user_code, days: 30 })).status).toBe(404);
      await expectRefused(() => pollDevice(apiUrl, device_code), "access_denied");
    });

    it("end the sign-in by sending a refresh token twice", async () => {
      const first = await signInWith(admin);
      await expectRefused(() => refresh(apiUrl, first.refresh_token, "internetdata-cli"), "invalid_grant");
      const second = (await refresh(apiUrl, first.refresh_token)).json;
      expect(await statusOf(apiUrl, second.access_token)).toBe(200);
      await expectRefused(() => refresh(apiUrl, first.refresh_token), "invalid_grant");
      expect(await statusOf(apiUrl, second.access_token)).toBe(401);
      await expectRefused(() => refresh(apiUrl, second.refresh_token), "invalid_grant");
      const [ended] = await test.service.services.store.audit.list({ action: "sign_in.ended", limit: 1 });
      expect(ended?.after).toMatchObject({ reason: "refresh token reused" });
    });

    it("exchange an authorization code once, with its verifier, redirect and program", async () => {
      const config = await discover(apiUrl);
      const { url, verifier } = await codeRequest(config);
      const code = new URL((await decide(admin, url)).json.redirect).searchParams.get("code") ?? "";
      const right = {
        grant_type: "authorization_code",
        client_id: "dbdepot-cli",
        code,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
      };
      for (const wrong of [
        { code_verifier: oauth.randomPKCECodeVerifier() },
        { redirect_uri: "http://127.0.0.1:51005/callback" },
        { client_id: "internetdata-cli" },
        { code: NOWHERE },
      ]) {
        await expectRefused(() => post(apiUrl, "token", { ...right, ...wrong }), "invalid_grant");
      }
      const { access_token } = (await post(apiUrl, "token", right)).json;
      expect(await statusOf(apiUrl, access_token)).toBe(200);
      // Somebody else has the code too, so what was issued for it cannot be trusted any more.
      await expectRefused(() => post(apiUrl, "token", right), "invalid_grant");
      expect(await statusOf(apiUrl, access_token)).toBe(401);

      const late = await codeRequest(config);
      const old = new URL((await decide(admin, late.url)).json.redirect).searchParams.get("code") ?? "";
      test.clock.advance("61 seconds");
      await expectRefused(
        () => post(apiUrl, "token", { ...right, code: old, code_verifier: late.verifier }),
        "invalid_grant",
      );
    });

    it("are shown to the person, who is never redirected, if the program or its redirect is unknown", async () => {
      const config = await discover(apiUrl);
      const redirects = [
        "https://evil.example/callback",
        "http://127.0.0.1.evil.example/callback",
        "http://127.0.0.1:80@evil.example/",
        "http://evil.example#http://127.0.0.1/",
        "https://127.0.0.1/callback",
        "javascript:alert(1)",
        "//evil.example",
        "",
      ];
      for (const redirect_uri of redirects) {
        const reply = await call((await codeRequest(config, { redirect_uri })).url.href);
        expect({ redirect_uri, status: reply.status, location: reply.headers.get("location") }).toEqual({
          redirect_uri,
          status: 400,
          location: null,
        });
        expect(reply.headers.get("content-type")).toContain("text/html");
      }
      const { url } = await codeRequest(config, { client_id: "<script>" });
      expect(await call(url.href)).toMatchObject({ status: 400, text: expect.not.stringContaining("<script>") });
      const desktop = await codeRequest(config, {
        client_id: "desktop",
        redirect_uri: "https://app.example.com/callback?x=1",
      });
      expect((await call(desktop.url.href)).status).toBe(400);
      const request = Buffer.from(url.search.slice(1)).toString("base64url");
      expect((await admin.post("/api/console/sign-ins/approve", { authorization: request, days: 30 })).status).toBe(
        400,
      );
    });

    it("return to the program with an error if only something else is wrong", async () => {
      const config = await discover(apiUrl);
      const problems: [Record<string, string>, string][] = [
        [{ response_type: "token" }, "unsupported_response_type"],
        [{ code_challenge_method: "plain" }, "invalid_request"],
        [{ code_challenge: "" }, "invalid_request"],
        [{ resource: "https://other.example" }, "invalid_target"],
        [{ scope: "openid profile" }, "invalid_scope"],
      ];
      for (const [but, error] of problems) {
        const location = new URL((await call((await codeRequest(config, but)).url.href)).headers.get("location") ?? "");
        expect(location.origin).toBe("http://127.0.0.1:51004");
        expect(location.searchParams.get("error")).toBe(error);
        expect(location.searchParams.get("state")).toBe("12345678901234567890");
      }
    });

    it("get no more access than the person has", async () => {
      const asked = { scope: "db.download apikeys.manage apikeys.read org.read operator.write" };
      expect((await signInWith(admin, asked)).scope).toBe("db.download apikeys.manage apikeys.read org.read");
      expect((await signInWith(viewer, asked)).scope).toBe("db.download org.read");
      for (const asked of [{}, { scope: "" }]) expect((await signInWith(admin, asked)).scope).toBe("db.download");
      const { user_code } = await startDevice(apiUrl, { scope: "apikeys.manage" });
      const refused = await viewer.post("/api/console/sign-ins/approve", { user_code, days: 30 });
      expect(refused).toMatchObject({ status: 400, json: { rc: "INVALID_REQUEST" } });
      const globex = await test.service.services.store.organizations.byName("Globex");
      const foreign = { user_code, days: 30, organization: globex?.id };
      expect((await admin.post("/api/console/sign-ins/approve", foreign)).status).toBe(400);
      expect((await admin.post("/api/console/sign-ins/approve", { user_code, days: 3650 })).status).toBe(400);
    });

    it("act for the organization that an operator chooses", async () => {
      const { device_code, user_code } = await startDevice(apiUrl);
      const approve = (organization?: string) =>
        operator.post("/api/console/sign-ins/approve", { user_code, days: 30, organization });
      expect((await approve()).status).toBe(400);
      const globex = await test.service.services.store.organizations.byName("Globex");
      expect((await approve(globex?.id)).status).toBe(200);
      const { access_token } = (await pollDevice(apiUrl, device_code)).json;
      const headers = { authorization: `Bearer ${access_token}` };
      expect((await call(`${apiUrl}/api/v1/iam/identity`, { headers })).json.org.name).toBe("Globex");
    });

    it("lose their access with the account: when it is disabled, changes its role or is deleted", async () => {
      const ends = {
        disabled: (id: string) => operator.send("PATCH", `/api/console/accounts/${id}`, { body: { disabled: true } }),
        demoted: (id: string) => operator.send("PATCH", `/api/console/accounts/${id}`, { body: { role: "viewer" } }),
        moved: (id: string) => operator.post(`/api/console/accounts/${id}/move`, { organization: "Globex" }),
        deleted: (id: string) => operator.send("DELETE", `/api/console/accounts/${id}`),
      };
      for (const [name, end] of Object.entries(ends)) {
        const person = await personOf(test, `${name}@example.com`, "admin", "Acme");
        const tokens = await signInWith(person);
        const waiting = await startDevice(apiUrl);
        await person.post("/api/console/sign-ins/approve", { user_code: waiting.user_code, days: 30 });
        expect((await end(person.id)).status).toBeLessThan(300);
        await test.operator.settle();
        expect([name, await statusOf(apiUrl, tokens.access_token)]).toEqual([name, 401]);
        await expectRefused(() => refresh(apiUrl, tokens.refresh_token), "invalid_grant");
        await expectRefused(() => pollDevice(apiUrl, waiting.device_code), "expired_token");
      }
    });

    it("lose their access when the organization is archived, also after it is unarchived", async () => {
      const initrode = await test.operator.customer("Initrode");
      const member = await personOf(test, "peter@initrode.example", "admin", "Initrode");
      const tokens = await signInWith(member);
      const { device_code, user_code } = await startDevice(apiUrl);
      const choice = { user_code, days: 30, organization: initrode.organizationId };
      expect((await operator.post("/api/console/sign-ins/approve", choice)).status).toBe(200);
      const setArchived = (isArchived: boolean) =>
        updateOrganization(test.operator.operation(), "Initrode", { isArchived }).then(() => test.operator.settle());
      await setArchived(true);
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(401);
      await setArchived(false);
      expect(await statusOf(apiUrl, initrode.key)).toBe(200);
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(401);
      await expectRefused(() => refresh(apiUrl, tokens.refresh_token), "invalid_grant");
      await expectRefused(() => pollDevice(apiUrl, device_code), "expired_token");
      const [entry] = await test.service.services.store.audit.list({ action: "sign_in.ended", limit: 1 });
      expect(entry).toMatchObject({ after: { keyId: tokens["mslm:apikey_id"], reason: "organization archived" } });
    });

    it("keep the end and the revocation that an admin gave their key", async () => {
      const tokens = await signInWith(admin);
      const key = `/api/v1/iam/apikeys/${tokens["mslm:apikey_id"]}`;
      const expires = new Date(test.clock.now().getTime() + 3_600_000).toISOString();
      expect((await admin.send("PATCH", key, { body: { expires } })).status).toBe(200);
      const renewed = await refresh(apiUrl, tokens.refresh_token);
      expect(renewed.json.expires_in).toBe(3600);
      expect((await admin.post(`${key}/revoke`, {})).status).toBe(200);
      await expectRefused(() => refresh(apiUrl, renewed.json.refresh_token), "invalid_grant");
    });

    it("get 200 from revoke for every token, which ends only sign-ins of the same program", async () => {
      const tokens = await signInWith(admin);
      const customer = await test.operator.customer("Initech");
      const revocations: Record<string, string>[] = [
        { token: "nonsense", client_id: "dbdepot-cli" },
        { token: NOWHERE, client_id: "dbdepot-cli" },
        { token: customer.key, client_id: "dbdepot-cli" },
        { token: tokens.access_token, client_id: "internetdata-cli" },
        { token: tokens.refresh_token },
      ];
      for (const form of revocations) {
        const reply = await post(apiUrl, "revoke", form);
        expect({ form, status: reply.status, text: reply.text }).toEqual({ form, status: 200, text: "{}\n" });
      }
      for (const form of [{}, { client_id: "dbdepot-cli" }, { client_id: "dbdepot-cli", token: "" }]) {
        await expectRefused(() => post(apiUrl, "revoke", form), "invalid_request");
      }
      expect(await statusOf(apiUrl, customer.key)).toBe(200);
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(200);
      await post(apiUrl, "revoke", { token: tokens.access_token, client_id: "dbdepot-cli" });
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(401);
      await expectRefused(() => refresh(apiUrl, tokens.refresh_token), "invalid_grant");
    });

    it("are limited by address, whether they flood the service with requests or guess codes", async () => {
      const from = (address: string, endpoint: string, form: Record<string, string>) =>
        call(`${apiUrl}/oauth/${endpoint}`, {
          method: "POST",
          body: new URLSearchParams(form),
          headers: { "x-forwarded-for": address },
        });
      const start = () => from("198.51.100.7", "device_authorization", { client_id: "dbdepot-cli" });
      const started = await Promise.all(Array.from({ length: 30 }, start));
      expect(new Set(started.map(({ status }) => status))).toEqual(new Set([200]));
      const limited = await start();
      expect(limited).toMatchObject({ status: 429, json: { error: "slow_down" } });
      expect(limited.headers.get("retry-after")).toBe("2");
      expect((await from("198.51.100.8", "device_authorization", { client_id: "dbdepot-cli" })).status).toBe(200);

      const guess = { client_id: "dbdepot-cli", grant_type: "refresh_token", refresh_token: NOWHERE };
      const guesses = await Promise.all(Array.from({ length: 60 }, () => from("198.51.100.9", "token", guess)));
      expect(guesses.filter(({ status }) => status === 400)).toHaveLength(50);
      expect(guesses.at(-1)?.json.error).toBe("slow_down");
      const typed = async (address: string) => {
        const sent = { body: { user_code: "BCDFG-HJKLM" }, headers: { "x-forwarded-for": address } };
        return (await admin.send("POST", "/api/console/sign-ins/inspect", sent)).status;
      };
      for (let i = 0; i < 50; i += 1) expect(await typed("198.51.100.9")).toBe(404);
      expect(await typed("198.51.100.9")).toBe(429);
      expect(await typed("198.51.100.10")).toBe(404);
    });

    it("cannot stop the programs of others with wrong tokens from many networks", async () => {
      const { refresh_token } = await signInWith(admin);
      const { device_code, user_code } = await startDevice(apiUrl);
      const send = (address: string, form: Record<string, string>) =>
        call(`${apiUrl}/oauth/token`, {
          method: "POST",
          body: new URLSearchParams({ client_id: "dbdepot-cli", grant_type: "refresh_token", ...form }),
          headers: { "x-forwarded-for": address },
        });
      for (let network = 0; network < 30; network += 1) {
        const addresses = Array.from({ length: 20 }, (_, host) => `203.0.${network}.${host}`);
        const wrong = await Promise.all(addresses.map((address) => send(address, { refresh_token: NOWHERE })));
        expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([400]));
      }
      expect((await send("198.51.100.20", { refresh_token })).status).toBe(200);
      expect((await admin.post("/api/console/sign-ins/approve", { user_code, days: 30 })).status).toBe(200);
      expect((await send("198.51.100.20", { grant_type: DEVICE_GRANT, device_code })).status).toBe(200);
    });

    it("leave no code or token in the database or the log", async () => {
      const { device_code, user_code } = await startDevice(apiUrl);
      const tokens = await signInWith(admin);
      const stored = (await test.databaseContent()) + test.logs();
      const secrets = [device_code, user_code, tokens.refresh_token, tokens.access_token];
      expect(secrets.filter((secret) => stored.includes(secret))).toEqual([]);
    });
  });
}
