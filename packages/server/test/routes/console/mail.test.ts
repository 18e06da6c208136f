import { describe, expect, it } from "vitest";
import { startMailServer } from "../../../../../rigs/harness/servers/mail-server.ts";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { PASSWORD, Person, personOf, tokenOf } from "./person.ts";

for (const stage of eitherStage()) {
  describe(`e-mail on ${stage.name}`, () => {
    it("carries invitations and password resets, and goes only to people with an account", async () => {
      await using server = await startMailServer();
      const test = await testService(stage, {
        DBDEPOT_SMTP_URL: server.url,
        DBDEPOT_MAIL_FROM: "depot@vendor.example",
      });
      try {
        const root = await personOf(test, "root@vendor.example", "operator");
        const invited = await root.post("/api/console/accounts", { email: "ops@vendor.example", role: "operator" });
        expect(invited.json.mailed).toBe(true);
        // Its link is another one than that of the response, which the outbox must not contain.
        expect(server.mails[0]).toContain("#token=");
        expect(server.mails[0]).not.toContain(invited.json.link);

        const stranger = new Person(test.service.apiUrl, "");
        for (const email of ["nobody@vendor.example", "root@vendor.example"]) {
          expect((await stranger.post("/api/console/password-resets", { email })).status).toBe(202);
        }
        await expect.poll(() => server.mails.length).toBe(2);
        const [, reset = ""] = server.mails;
        expect(reset).toContain("To: root@vendor.example");
        expect(reset).toContain("Subject: Reset your dbdepot password");
        const [, token = ""] = /#token=([\w-]{43})/.exec(reset) ?? [];
        const body = { token, password: "a brand new password" };
        expect((await stranger.post("/api/console/links/accept", body)).json.account.email).toBe("root@vendor.example");
        expect(await root.isSignedIn()).toBe(false);
        expect(test.logs()).not.toContain(token);
      } finally {
        await test.dispose();
      }
    });

    it("of an admin contains none of their words, is limited, and its link is not shown to them", async () => {
      await using server = await startMailServer();
      const test = await testService(stage, {
        DBDEPOT_SMTP_URL: server.url,
        DBDEPOT_MAIL_FROM: "depot@vendor.example",
      });
      try {
        await test.operator.customer("Acme");
        const root = await personOf(test, "root@vendor.example", "operator");
        const admin = await personOf(test, "admin@acme.example", "admin", "Acme");
        const invite = (email: string, more: object = {}) =>
          admin.post("/api/console/accounts", { email, role: "viewer", ...more });
        const invited = await invite("victim@other.example", { name: "You won, see https://evil.example" });
        expect(invited.json).toMatchObject({ link: null, mailed: true });
        expect(server.mails[0]).toMatch(/Hello,.*#token=/s);
        expect(server.mails[0]).not.toContain("evil.example");
        const link = `/api/console/accounts/${invited.json.account.id}/link`;
        expect((await admin.post(link)).json).toMatchObject({ link: null, mailed: true });
        expect((await root.post(link)).json.link).toMatch(/#token=/);

        const taken = await invite("root@vendor.example");
        expect(taken.json).toMatchObject({ link: null, mailed: true, account: { state: "invited" } });
        expect(server.mails.at(-1)).toMatch(/To: root@vendor.example.*already has an account/s);
        expect(server.mails.at(-1)).not.toContain("#token=");

        for (let i = 0; i < 17; i++) expect((await invite(`${i}@other.example`)).status).toBe(200);
        for (const refused of [await invite("last@other.example"), await admin.post(link)]) {
          expectRefusal(refused, 429, "RATE_LIMITED");
          expect(refused.headers.get("retry-after")).toBe("300");
        }
        expect((await root.post(link)).status).toBe(200);
        test.clock.advance("300 seconds");
        expect((await invite("last@other.example")).status).toBe(200);
      } finally {
        await test.dispose();
      }
    });

    it("asked for by a stranger neither ends a pending invitation nor floods its owner", async () => {
      await using server = await startMailServer();
      const test = await testService(stage, {
        DBDEPOT_SMTP_URL: server.url,
        DBDEPOT_MAIL_FROM: "depot@vendor.example",
        DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32",
      });
      try {
        const root = await personOf(test, "root@vendor.example", "operator");
        const invited = await root.post("/api/console/accounts", { email: "ops@vendor.example", role: "operator" });
        const stranger = new Person(test.service.apiUrl, "");
        for (let network = 0; network < 8; network++) {
          const reply = await stranger.send("POST", "/api/console/password-resets", {
            body: { email: "ops@vendor.example" },
            headers: { "x-forwarded-for": `192.0.2.${network}` },
          });
          expect(reply.status).toBe(202);
        }
        // A reset that waits is replaced by the next one.
        const { mail } = test.service.services.store;
        await expect.poll(async () => server.mails.length > 1 && (await mail.counts()).waiting).toBe(0);
        expect(server.mails.length).toBeLessThanOrEqual(6);
        const sent = server.mails.length;
        const body = { token: tokenOf(invited), password: PASSWORD };
        expect((await stranger.post("/api/console/links/accept", body)).status).toBe(200);
        // The first sign-in ends all other links.
        const [, token = ""] = /#token=([\w-]{43})/.exec(server.mails[1] ?? "") ?? [];
        expect((await stranger.post("/api/console/links/accept", { ...body, token })).status).toBe(410);
        expect(server.mails).toHaveLength(sent);
      } finally {
        await test.dispose();
      }
    });
  });
}
