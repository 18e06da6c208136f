import { describe, expect, it } from "vitest";
import { startMailServer } from "../../mail-server.ts";
import { stages } from "../../stages.ts";
import { testService } from "../../test-service.ts";
import { PASSWORD, Person, personOf, tokenOf } from "./person.ts";

for (const stage of stages()) {
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
        expect(server.mails[0]).toContain(invited.json.link);

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
        await expect.poll(() => server.mails.length).toBe(6);
        const body = { token: tokenOf(invited), password: PASSWORD };
        expect((await stranger.post("/api/console/links/accept", body)).status).toBe(200);
        // The first sign-in ends all other links.
        const [, token = ""] = /#token=([\w-]{43})/.exec(server.mails[1] ?? "") ?? [];
        expect((await stranger.post("/api/console/links/accept", { ...body, token })).status).toBe(410);
        expect(server.mails).toHaveLength(6);
      } finally {
        await test.dispose();
      }
    });
  });
}
