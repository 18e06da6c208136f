import * as oauth from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { startService } from "../../../src/service/service.ts";
import { type Person, personOf } from "../console/person.ts";
import { codeRequest, DEVICE_GRANT, decide, discover, statusOf } from "./program.ts";

const DAY_SECONDS = 24 * 60 * 60;

for (const stage of eitherStage()) {
  describe(`signing in with an independent OAuth client on ${stage.name}`, () => {
    let test: TestService;
    let apiUrl: string;
    let admin: Person;
    beforeAll(async () => {
      test = await testService(stage);
      apiUrl = test.service.apiUrl;
      await test.operator.customer("Acme");
      admin = await personOf(test, "ada@example.com", "admin", "Acme");
    });
    afterAll(() => test.dispose());

    it("is discovered as an authorization server, and not as an OpenID provider", async () => {
      const document = (await discover(apiUrl)).serverMetadata();
      expect(document).toMatchObject({
        issuer: apiUrl,
        authorization_endpoint: `${apiUrl}/oauth/authorize`,
        token_endpoint: `${apiUrl}/oauth/token`,
        device_authorization_endpoint: `${apiUrl}/oauth/device_authorization`,
        revocation_endpoint: `${apiUrl}/oauth/revoke`,
        scopes_supported: ["db.download", "apikeys.manage", "account.read", "apikeys.read", "org.read"],
        response_types_supported: ["code"],
        grant_types_supported: [DEVICE_GRANT, "authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
      });
      await expect(discover(apiUrl, "dbdepot-cli", "oidc")).rejects.toThrow();
      expect((await call(`${apiUrl}/.well-known/openid-configuration`)).status).toBe(404);
    });

    it("works with the device flow: the access token is a key that a refresh renews and a revocation revokes", async () => {
      const config = await discover(apiUrl);
      const started = await oauth.initiateDeviceAuthorization(config, {
        scope: "db.download openid nonsense",
        resource: apiUrl,
        device_name: "build-7",
      });
      expect(started).toMatchObject({
        verification_uri: `${apiUrl}/console/device`,
        verification_uri_complete: `${apiUrl}/console/device?user_code=${started.user_code}`,
        expires_in: 900,
        interval: 5,
      });
      expect(started.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{5}-[BCDFGHJKLMNPQRSTVWXZ]{5}$/);
      const poll = () => oauth.genericGrantRequest(config, DEVICE_GRANT, { device_code: started.device_code });
      await expect(poll()).rejects.toMatchObject({ error: "authorization_pending", status: 400 });
      await expect(poll()).rejects.toMatchObject({ error: "slow_down", status: 400 });
      // People type codes in their own way.
      const user_code = started.user_code.toLowerCase().replace("-", " ");
      const asked = await admin.post("/api/console/sign-ins/inspect", { user_code });
      expect(asked.json).toMatchObject({
        program: "dbdepot",
        user_code: started.user_code,
        host: "build-7",
        address: "127.0.0.1",
        is_same_network: true,
        scopes: ["db.download"],
      });
      expect((await admin.post("/api/console/sign-ins/approve", { user_code, days: 7 })).status).toBe(200);
      test.clock.advance("5 seconds");
      const tokens = await poll();
      expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 7 * DAY_SECONDS, scope: "db.download" });
      expect(tokens["mslm:apikey"]).toBe(tokens.access_token);
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(200);

      const listed = (await admin.get("/api/v1/iam/apikeys")).json.keys[0];
      expect(listed).toMatchObject({
        id: tokens["mslm:apikey_id"],
        name: "dbdepot on build-7",
        allowed_scopes: ["db.download"],
        created_by: "account:ada@example.com",
      });
      const { store } = test.service.services;
      const types = (await store.events.after({ revision: 0, id: "" }, 100)).map(({ type }) => type);
      expect(types).toContain("key.created");

      test.clock.advance("5 days");
      const renewed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? "");
      expect(renewed).toMatchObject({ expires_in: 7 * DAY_SECONDS, scope: "db.download" });
      expect(renewed).not.toHaveProperty("mslm:apikey");
      expect(renewed["mslm:apikey_id"]).toBe(tokens["mslm:apikey_id"]);
      // A program that has just read the old key can still use it.
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(200);
      test.clock.advance("61 seconds");
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(401);
      expect(await statusOf(apiUrl, renewed.access_token)).toBe(200);

      await oauth.tokenRevocation(config, renewed.refresh_token ?? "");
      expect(await statusOf(apiUrl, renewed.access_token)).toBe(401);
      await expect(oauth.refreshTokenGrant(config, renewed.refresh_token ?? "")).rejects.toMatchObject({
        error: "invalid_grant",
      });
    });

    it("works with the authorization code flow and PKCE, and returns state and issuer", async () => {
      await admin.signIn();
      const config = await discover(apiUrl);
      const { url, verifier } = await codeRequest(config);
      const approved = await decide(admin, url);
      const returned = new URL(approved.json.redirect);
      expect(returned.origin + returned.pathname).toBe("http://127.0.0.1:51004/callback");
      const checks = { pkceCodeVerifier: verifier, expectedState: "12345678901234567890" };
      const tokens = await oauth.authorizationCodeGrant(config, returned, checks);
      expect(tokens).toMatchObject({ expires_in: 90 * DAY_SECONDS, scope: "db.download apikeys.manage" });
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(200);
    });

    it("tells the program that the person denied it", async () => {
      const { url } = await codeRequest(await discover(apiUrl));
      const denied = new URL((await decide(admin, url, "deny")).json.redirect).searchParams;
      expect(denied.get("error")).toBe("access_denied");
      expect(denied.get("iss")).toBe(apiUrl);
    });

    it("gives the InternetData CLI a key with which it can download, although it does not ask for that", async () => {
      const config = await discover(apiUrl, "internetdata-cli");
      const scope = "account.read apikeys.read apikeys.reveal";
      const started = await oauth.initiateDeviceAuthorization(config, { scope });
      await admin.post("/api/console/sign-ins/approve", { user_code: started.user_code, days: 90 });
      const tokens = await oauth.genericGrantRequest(config, DEVICE_GRANT, { device_code: started.device_code });
      expect(tokens.scope).toBe("db.download account.read apikeys.read");
      expect(await statusOf(apiUrl, tokens.access_token)).toBe(200);
      // Its tests expect this of a code that was never issued.
      await expect(oauth.genericGrantRequest(config, DEVICE_GRANT, { device_code: "mo_dc_x" })).rejects.toMatchObject({
        error: "expired_token",
        status: 400,
      });
    });

    it("works if the requests reach different replicas, and a code works once on all of them", async () => {
      const replica = await startService(test.stage.settings, { clock: test.clock.now });
      try {
        const config = await discover(apiUrl);
        const started = await oauth.initiateDeviceAuthorization(config, {});
        const visitor = new (admin.constructor as typeof Person)(replica.apiUrl, admin.email, admin.cookie);
        await visitor.post("/api/console/sign-ins/approve", { user_code: started.user_code, days: 1 });
        const body = () =>
          new URLSearchParams({ grant_type: DEVICE_GRANT, client_id: "dbdepot-cli", device_code: started.device_code });
        const replies = await Promise.all(
          [apiUrl, replica.apiUrl, apiUrl, replica.apiUrl].map((url) =>
            call(`${url}/oauth/token`, { method: "POST", body: body() }),
          ),
        );
        const [granted, ...others] = replies.filter(({ status }) => status === 200);
        expect(others).toEqual([]);
        expect(await statusOf(replica.apiUrl, granted?.json.access_token)).toBe(200);
      } finally {
        await replica.close();
      }
    });
  });
}
