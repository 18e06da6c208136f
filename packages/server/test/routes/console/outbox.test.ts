import { describe, expect, it } from "vitest";
import { startMailServer } from "../../../../../rigs/harness/servers/mail-server.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { PASSWORD, Person, personOf, tokenOf } from "./person.ts";

const ACCOUNTS = "/api/console/accounts";
const ACCEPT = "/api/console/links/accept";

for (const stage of eitherStage()) {
  describe(`urgent e-mail on ${stage.name}`, () => {
    /** A service whose mail server is down until `up` is called. */
    async function withoutMailServer() {
      const first = await startMailServer();
      const { url } = first;
      await first[Symbol.asyncDispose]();
      const test = await testService(stage, {
        DBDEPOT_SMTP_URL: url,
        DBDEPOT_MAIL_FROM: "depot@vendor.example",
        DBDEPOT_OPERATOR_MAIL: "sales@vendor.example",
      });
      return {
        test,
        root: await personOf(test, "root@vendor.example", "operator"),
        /** Starts the mail server, and sends what is due five minutes later. */
        async up() {
          const server = await startMailServer(Number(new URL(url).port));
          test.clock.advance("300 seconds");
          await test.service.services.console.courier?.run();
          return server;
        },
      };
    }

    const waiting = (test: Awaited<ReturnType<typeof testService>>) => test.service.services.store.mail.counts();
    const tokenIn = (mail = "") => /#token=([\w-]{43})/.exec(mail)?.[1] ?? "";

    it("waits while the mail server is down, and then arrives once with a link that works", async () => {
      const { test, root, up } = await withoutMailServer();
      try {
        const email = "ops@vendor.example";
        const invited = await root.post(ACCOUNTS, { email, role: "operator" });
        expect(invited.json).toMatchObject({
          mailed: false,
          mail: { state: "waiting", error: expect.stringContaining("ECONNREFUSED") },
        });
        expect(await test.databaseContent()).not.toContain(tokenOf(invited));

        await using server = await up();
        expect(server.mails).toHaveLength(1);
        const token = tokenIn(server.mails[0]);
        const stored = (await test.databaseContent()) + test.logs();
        expect(stored).toContain(email);
        expect(stored).not.toContain(token);
        const stranger = new Person(test.service.apiUrl, "");
        expect((await stranger.post(ACCEPT, { token, password: PASSWORD })).json.account.email).toBe(email);
        test.clock.advance("4 days");
        await test.service.services.console.courier?.run();
        expect(server.mails).toHaveLength(1);
      } finally {
        await test.dispose();
      }
    });

    it("shows an admin neither the link nor the mail server's answer while it waits", async () => {
      const { test, up } = await withoutMailServer();
      try {
        await test.operator.customer("Acme");
        const admin = await personOf(test, "admin@acme.example", "admin", "Acme");
        const invited = await admin.post(ACCOUNTS, { email: "bob@acme.example", role: "viewer" });
        const shown = { link: null, mailed: false, mail: { state: "waiting", error: null } };
        expect(invited.json).toMatchObject(shown);
        // A new link replaces the e-mail that waits.
        expect((await admin.post(`${ACCOUNTS}/${invited.json.account.id}/link`)).json).toMatchObject(shown);
        expect((await waiting(test)).waiting).toBe(1);
        // An address that the mail server refuses needs a link to pass on.
        await using server = await up();
        expect(server.mails).toHaveLength(1);
        server.behaviour.refusal = { at: "recipient", code: 550 };
        const refused = await admin.post(ACCOUNTS, { email: "eve@acme.example", role: "viewer" });
        expect(refused.json).toMatchObject({ link: expect.any(String), mail: { state: "failed", error: null } });
      } finally {
        await test.dispose();
      }
    });

    it("is not sent any more once the person has used another link", async () => {
      const { test, root, up } = await withoutMailServer();
      try {
        const invited = await root.post(ACCOUNTS, { email: "ops@vendor.example", role: "operator" });
        const stranger = new Person(test.service.apiUrl, "");
        const accepted = await stranger.post(ACCEPT, { token: tokenOf(invited), password: PASSWORD });
        expect(accepted.status).toBe(200);
        await using server = await up();
        expect(server.mails).toEqual([]);
      } finally {
        await test.dispose();
      }
    });

    it("about access requests waits too, and reaches the vendor and the customer", async () => {
      const { test, root, up } = await withoutMailServer();
      try {
        await test.operator.addDatabase("vpn_ip_v1");
        await test.operator.customer("Acme");
        const admin = await personOf(test, "admin@acme.example", "admin", "Acme");
        const asked = await admin.post("/api/console/access-requests", { base: "vpn_ip" });
        expect(asked.json).toMatchObject({ mailed: false, mail: { state: "waiting", error: null } });
        const decline = `/api/operator/requests/${asked.json.request.id}/decline`;
        const declined = await root.post(decline, { reason: "Not yet" });
        expect(declined.json).toMatchObject({ mailed: false, mail: { state: "waiting", error: expect.any(String) } });
        await using server = await up();
        const recipients = server.mails.map((mail) => /^To: (.*?)\r$/m.exec(mail)?.[1]).sort();
        expect(recipients).toEqual(["admin@acme.example", "sales@vendor.example"]);
        expect(server.mails.find((mail) => /^To: admin@/m.test(mail))).toMatch(/Reply-To: sales@.*Not yet/s);
      } finally {
        await test.dispose();
      }
    });
  });
}
