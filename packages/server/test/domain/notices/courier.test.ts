import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startMailServer } from "../../../../../rigs/harness/servers/mail-server.ts";
import { eitherEngine, type OpenedStore } from "../../../../../rigs/harness/service/engines.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import { openMailer } from "../../../src/adapters/mail/mailer.ts";
import { inviteAccount, updateAccount } from "../../../src/domain/accounts/accounts.ts";
import { OWN_BRAND } from "../../../src/domain/brand/brand.ts";
import { addFamily } from "../../../src/domain/catalogue/catalogue.ts";
import { allowDestinations, createDestination } from "../../../src/domain/destinations/destinations.ts";
import { announce, type NewEvent } from "../../../src/domain/events/events.ts";
import { createKey } from "../../../src/domain/keys/keys.ts";
import { grantLicence, renewLicence } from "../../../src/domain/licences/licences.ts";
import { type CourierOptions, MailCourier } from "../../../src/domain/mail/courier.ts";
import { type DigestOptions, DigestWriter } from "../../../src/domain/notices/digests.ts";
import { newRecipient } from "../../../src/domain/notices/recipient.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import { announceEnds } from "../../../src/domain/reminders/reminders.ts";
import { createRequest } from "../../../src/domain/requests/requests.ts";
import type { Store } from "../../../src/domain/store.ts";
import { addTerms } from "../../../src/domain/terms/add.ts";
import { createWebhook } from "../../../src/domain/webhooks/webhooks.ts";
import { DAY_MS } from "../../../src/platform/primitives/dates.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { Register } from "../../../src/register/register.ts";

const FROM = "Depot <depot@vendor.example>";

for (const engine of eitherEngine()) {
  describe(`The courier of notifications on ${engine.name}`, () => {
    let opened: OpenedStore;
    let server: Awaited<ReturnType<typeof startMailServer>>;
    let clock: TestClock;
    let acme: string;
    let attempts: string[];
    let failures: string[];

    beforeEach(async () => {
      opened = await engine.open();
      server = await startMailServer();
      clock = new TestClock(new Date("2027-03-01T08:00:00Z"));
      [attempts, failures] = [[], []];
      acme = (await addOrganization(operation(), "Acme <b>& Sons</b>")).id;
      await addFamily(operation(), { base: "vpn_ip", name: "VPN IP", visibility: "public" });
      await invite("ada@acme.example", "admin");
    });
    afterEach(async () => {
      await server[Symbol.asyncDispose]();
      await opened.dispose();
    });

    const operation = () => ({ store: opened.store, actor: "test", now: clock.now() });
    const invite = (email: string, role: "admin" | "operator" | "viewer") =>
      inviteAccount(operation(), undefined, { email, role, organization: role === "operator" ? undefined : acme });

    /** What a process does: it writes digests, and sends what is in the outbox. */
    function courier(but: Partial<CourierOptions & DigestOptions> & { store?: Store } = {}) {
      const options = {
        store: opened.store,
        clock: clock.now,
        onAttempt: (state: string) => attempts.push(state),
        onFailure: (message: string) => failures.push(message),
      };
      const digests = new DigestWriter({
        register: new Register(opened.store),
        letterhead: () => ({ brand: { ...OWN_BRAND, name: "Depot" }, publicUrl: "https://depot.example" }),
        hour: 7,
        operatorMail: undefined,
        ...options,
        ...but,
      });
      const mailer = openMailer({ smtpUrl: server.url, from: FROM, signature: ["Depot"] }, async () => false);
      const sender = new MailCourier({ mailer, writers: {}, ...options, ...but });
      return {
        start() {
          digests.start();
          sender.start();
        },
        async run() {
          await digests.run();
          await sender.run();
        },
        async stop() {
          await digests.stop();
          await sender.stop();
        },
      };
    }

    const downMailer = () =>
      openMailer({ smtpUrl: "smtp://127.0.0.1:1", from: FROM, signature: [] }, async () => false);

    function announceEvent(event: NewEvent): Promise<void> {
      return opened.store.change((tables) => announce(tables, operation(), event));
    }

    /** Announces something that admins are told. */
    const limitReached = () =>
      announceEvent({
        type: "limit.near" as NewEvent["type"],
        organizationId: acme,
        data: { limit: "downloads_per_day", used: 80, allowed: 100, resets: "2027-03-03T00:00:00.000Z" },
      });

    const toNextDay = () => clock.advance(`${DAY_MS / 1000} seconds`);
    const recipients = () => server.mails.map((mail) => /^To: (.*?)\r$/m.exec(mail)?.[1]).sort();
    const states = async () => (await opened.store.mail.list(10)).map(({ state }) => state);

    it("tells admins and operators what concerns them, as text and HTML, with a link that unsubscribes", async () => {
      await invite("root@vendor.example", "operator");
      await invite("viewer@acme.example", "viewer");
      await addFamily(operation(), { base: "secret", name: "Secret", visibility: "private" });
      const { store } = opened;
      const terms = { organization: acme, base: "vpn_ip", redistribution: "internal" } as const;
      const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS);
      await grantLicence(operation(), { ...terms, expires: inDays(61) });
      const owned = { organizationId: acme, scopes: ["db.download"], cidrs: [] };
      await createKey(operation(), { ...owned, name: "<i>ci</i>", expires: inDays(8) });
      const request = { url: "https://hooks.example.com/secret-path", description: "" };
      const hook = await createWebhook(operation(), async () => ({ id: acme }), request);
      await store.change((tables) =>
        tables.webhooks.update({ ...hook, disabled: { at: inDays(1), reason: "failing" } }),
      );
      const person = { email: "ada@acme.example", name: "" };
      toNextDay();
      await announceEnds(store, clock.now());
      const withdrawn = { id: "vpn_ip_v1", build_id: "b2", current_build_id: "b1", reason: null };
      await announceEvent({ type: "build.withdrawn", base: "vpn_ip", data: withdrawn });
      await announceEvent({ type: "build.withdrawn", base: "secret", data: { ...withdrawn, id: "secret_v1" } });
      await createRequest(operation(), { organizationId: acme, base: "vpn_ip", person, message: "" });
      await limitReached();
      clock.advance("3600 seconds");

      await courier().run();
      expect(recipients()).toEqual(["ada@acme.example", "root@vendor.example"]);
      const [toAdmin = "", toOperator = ""] = server.mails.toSorted();
      const admin = mailOf(toAdmin.includes("To: ada@") ? toAdmin : toOperator);
      const root = mailOf(toAdmin.includes("To: ada@") ? toOperator : toAdmin);

      expect(admin.headers).toContain("From: Depot <depot@vendor.example>");
      const { token } =
        (await store.notices.recipient((await store.accounts.byEmail("ada@acme.example"))?.id ?? "")) ?? {};
      const link = `https://depot.example/unsubscribe?token=${token}`;
      expect(admin.headers).toContain(`List-Unsubscribe: <${link}>`);
      expect(admin.headers).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
      const written = (await store.mail.list(10)).find(({ to }) => to.startsWith("ada"));
      expect(written?.content?.subject).toBe(
        "Build b2 of vpn_ip_v1 was withdrawn. No build is available now. Stop using… (and 4 more)",
      );
      expect(admin.headers).toContain(`Message-ID: <${written?.id}@vendor.example>`);
      for (const part of [admin.text, admin.html]) {
        expect(part).toContain("The licence for VPN IP (vpn_ip) ends in 60 days, on 1 May 2027.");
        expect(part).toContain("expires in 7 days, on 9 March 2027.");
        expect(part).toContain("Build b2 of vpn_ip_v1 was withdrawn. No build is available now.");
        expect(part).toContain("The webhook at hooks.example.com was disabled, because it failed for a week.");
        expect(part).toContain(
          "downloads per day is nearly reached: 80 of 100 used. It resets on 3 March 2027 at 00:00 UTC.",
        );
        expect(part).toContain(link);
        expect(part).not.toMatch(/secret|asks for/);
      }
      expect(admin.text).toContain("The key “<i>ci</i>” (dbd_");
      expect(admin.html).toContain("The key “&lt;i&gt;ci&lt;/i&gt;” (dbd_");
      expect(admin.html).not.toContain("<i>");
      expect(admin.text).toMatch(/\nDepot\s*$/);

      expect(root.headers).toMatch(/Subject: Acme <b>& Sons<\/b>: .*\(and 2 more\)/s);
      expect(root.text).toContain("- Acme <b>& Sons</b>: the licence for VPN IP (vpn_ip) ends in 60 days");
      expect(root.html).toContain("Acme &lt;b&gt;&amp; Sons&lt;/b&gt;: the licence");
      expect(root.text).toContain("ada@acme.example asks for a licence for VPN IP (vpn_ip).");
      expect(root.text).not.toMatch(/key|webhook|Build/);
    });

    it("names the build that is current when it is written, not the one after the withdrawal", async () => {
      const withdrawn = { id: "vpn_ip_v1", build_id: "b2", current_build_id: "b1", reason: null };
      toNextDay();
      await announceEvent({ type: "build.withdrawn", base: "vpn_ip", data: withdrawn });
      clock.advance("3600 seconds");
      const register = Object.assign(new Register(opened.store), { offer: () => ({ build: { id: "b3" } }) });
      await grantLicence(operation(), { organization: acme, base: "vpn_ip", redistribution: "internal" });
      await courier({ register }).run();
      expect(mailOf(server.mails[0]).text).toContain("was withdrawn. Downloads now return build b3. Stop using");
    });

    it("mentions licences that were added after a reminder was due, once", async () => {
      const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS);
      const late = { organization: acme, redistribution: "internal", starts: inDays(-300) } as const;
      for (const [base, days] of Object.entries({ far: 61, soon: 21, next: 6, week: 7.5 })) {
        await addFamily(operation(), { base, name: base, visibility: "public" });
        await grantLicence(operation(), { ...late, base, expires: inDays(days) });
      }
      await addFamily(operation(), { base: "trial", name: "trial", visibility: "public" });
      await grantLicence(operation(), { ...late, base: "trial", starts: clock.now(), expires: inDays(14) });
      const daily = courier();
      for (const expected of [
        [
          "soon (soon) ends in 20 days",
          "next (next) ends in 5 days",
          "week (week) ends in 7 days",
          "far (far) ends in 60 days",
        ],
        [],
      ]) {
        toNextDay();
        await announceEnds(opened.store, clock.now());
        server.mails.length = 0;
        await daily.run();
        const licences = server.mails.flatMap((mail) => mailOf(mail).text.match(/\w+ \(\w+\) ends in \d+ days/g) ?? []);
        expect(licences.toSorted()).toEqual(expected.toSorted());
      }
    });

    it("writes at most one digest a day to a person, and none without news", async () => {
      const daily = courier();
      await daily.run();
      expect(recipients()).toEqual([]);
      clock.advance("1 seconds");
      await limitReached();
      clock.advance("82798 seconds");
      await daily.run();
      expect(recipients()).toEqual([]);
      clock.advance("1 seconds");
      await daily.run();
      expect(recipients()).toHaveLength(1);
      await limitReached();
      await daily.run();
      await courier().run();
      expect(recipients()).toHaveLength(1);
      toNextDay();
      await daily.run();
      expect(recipients()).toHaveLength(2);
      expect(mailOf(server.mails[1]).text.match(/nearly reached/g)).toHaveLength(1);
      toNextDay();
      await daily.run();
      expect(recipients()).toHaveLength(2);
    });

    it("sends each e-mail once, although several servers run", async () => {
      for (let n = 0; n < 5; n += 1) await invite(`admin${n}@acme.example`, "admin");
      toNextDay();
      await limitReached();
      clock.advance("7200 seconds");
      await Promise.all([courier().run(), courier().run(), courier().run()]);
      expect(new Set(recipients()).size).toBe(6);
      expect(recipients()).toHaveLength(6);
      expect(attempts).toEqual(Array(6).fill("sent"));
    });

    it("leaves out what somebody has dealt with, or has turned off", async () => {
      const { store } = opened;
      const { account: eve } = await invite("eve@acme.example", "admin");
      await store.notices.saveRecipient({ ...newRecipient(eve.id), off: ["limits"] });
      const expires = new Date(clock.now().getTime() + 31 * DAY_MS);
      const terms = { organization: acme, base: "vpn_ip", redistribution: "internal", expires } as const;
      const { id } = await grantLicence(operation(), terms);
      toNextDay();
      expect(await announceEnds(store, clock.now())).toBe(1);
      await renewLicence(operation(), id, { expires: new Date(expires.getTime() + 365 * DAY_MS) });
      await limitReached();
      clock.advance("3600 seconds");
      await courier().run();
      expect(recipients()).toEqual(["ada@acme.example"]);
      expect(mailOf(server.mails[0]).text).not.toContain("licence");
    });

    it("leads to the destination whose deliveries were paused", async () => {
      const owner = async () => ({ id: acme });
      await allowDestinations(operation(), owner, true);
      const rules = { vendorIdentity: { principal: "arn:aws:iam::123456789012:user/dbdepot", endpoint: null } };
      const request = { bucket: "acme-data", region: "eu-west-1", access: "vendor" } as const;
      const destination = await createDestination({ ...operation(), rules }, owner, request);
      const paused = { at: clock.now(), reason: "failing" } as const;
      await opened.store.change((tables) => tables.destinations.update({ ...destination, paused }));
      const data = { destination_id: destination.id, location: "s3://acme-data", error: "AccessDenied", paused: true };
      toNextDay();
      await announceEvent({ type: "delivery.failed", organizationId: acme, data });
      clock.advance("3600 seconds");
      await courier().run();
      const { text } = mailOf(server.mails[0]);
      expect(text).toContain("Deliveries to s3://acme-data were paused");
      expect(text).toContain(`https://depot.example/console/destinations/${destination.id}\n`);
    });

    it("tells admins once which terms a licence requires, unless they have accepted them", async () => {
      await invite("root@vendor.example", "operator");
      const addVersion = (name: string, text: string) => addTerms(operation(), { name, title: `The ${name}`, text });
      const grant = { organization: acme, redistribution: "internal" } as const;
      const { id } = await grantLicence(operation(), { ...grant, base: "vpn_ip" });
      await addVersion("agreement", "1. You may not pass it on.");
      await renewLicence(operation(), id, { terms: "agreement" });
      toNextDay();
      await courier().run();
      expect(recipients()).toEqual(["ada@acme.example"]);
      const { text, html } = mailOf(server.mails[0]);
      for (const part of [text, html]) {
        expect(part).toContain(
          "The terms “The agreement” (agreement@1) must be accepted before VPN IP (vpn_ip) can be downloaded.",
        );
        expect(part).toContain("https://depot.example/console/terms");
      }

      // A second licence with the same terms adds no notice. One with other terms does, even if it starts later.
      await addFamily(operation(), { base: "tor_ip", name: "Tor IP", visibility: "public" });
      await addVersion("annex", "2. You may use it.");
      const starts = new Date(clock.now().getTime() + 30 * DAY_MS);
      await grantLicence(operation(), { ...grant, base: "tor_ip", terms: "agreement" });
      await grantLicence(operation(), { ...grant, base: "vpn_ip", starts, terms: "annex" });
      toNextDay();
      await courier().run();
      expect(server.mails).toHaveLength(2);
      expect(mailOf(server.mails[1]).text).toContain("(annex@1) must be accepted before VPN IP");
      expect(mailOf(server.mails[1]).text).not.toContain("agreement");

      await addVersion("agreement", "1. You may pass it on.");
      await renewLicence(operation(), id, { terms: "agreement" });
      const person = { accountId: "1", name: "Ada", email: "ada@acme.example", address: "192.0.2.1" };
      const accepted = { id: newId(clock.now()), organizationId: acme, termsId: "agreement@2", sha256: "" };
      await opened.store.change(({ terms }) =>
        terms.insertAcceptance({ ...accepted, ...person, created: clock.now() }),
      );
      toNextDay();
      await courier().run();
      expect(server.mails).toHaveLength(2);
    });

    it("does not repeat an access request to the address that got it at once", async () => {
      await invite("root@vendor.example", "operator");
      await invite("sales@vendor.example", "operator");
      toNextDay();
      const person = { email: "ada@acme.example", name: "" };
      await createRequest(operation(), { organizationId: acme, base: "vpn_ip", person, message: "" });
      clock.advance("7200 seconds");
      await courier({ operatorMail: "sales@vendor.example" }).run();
      expect(recipients()).toEqual(["root@vendor.example"]);
    });

    it("sends an e-mail again if the mail server was down or busy, with the same Message-ID", async () => {
      toNextDay();
      await limitReached();
      clock.advance("7200 seconds");
      await courier({ mailer: downMailer() }).run();
      expect(await states()).toEqual(["waiting"]);
      clock.advance("300 seconds");
      server.behaviour.refusal = { at: "content", code: 451 };
      await courier().run();
      expect(attempts).toEqual(["waiting", "waiting"]);
      server.behaviour.refusal = undefined;
      await courier().run();
      expect(recipients()).toEqual([]);
      clock.advance("900 seconds");
      await courier().run();
      expect(attempts).toEqual(["waiting", "waiting", "sent"]);
      expect(recipients()).toEqual(["ada@acme.example"]);
    });

    it("costs few e-mails an attempt while the mail server is down", async () => {
      for (let n = 0; n < 20; n += 1) await invite(`admin${n}@acme.example`, "admin");
      toNextDay();
      await limitReached();
      clock.advance("7200 seconds");
      await courier({ mailer: downMailer() }).run();
      expect((await opened.store.mail.list(50)).length).toBe(21);
      // This is the number of e-mails that are sent at the same time.
      expect(attempts).toEqual(["waiting", "waiting", "waiting", "waiting"]);
    });

    it("costs no e-mail an attempt in a copy that sends nothing", async () => {
      toNextDay();
      await limitReached();
      clock.advance("7200 seconds");
      await courier({ mailer: downMailer() }).run();
      expect(attempts.splice(0)).toEqual(["waiting"]);
      clock.advance("7200 seconds");
      const { copies } = opened.store;
      const store = { ...opened.store, copies: { ...copies, copied: async () => clock.now() } };
      await courier({ store }).run();
      expect([attempts, recipients()]).toEqual([[], []]);
      await courier().run();
      expect([attempts, recipients()]).toEqual([["sent"], ["ada@acme.example"]]);
    });

    it("gives up on an e-mail that the mail server refuses for good", async () => {
      toNextDay();
      await limitReached();
      clock.advance("7200 seconds");
      server.behaviour.refusal = { at: "recipient", code: 550 };
      await courier().run();
      expect(attempts).toEqual(["failed"]);
      expect(failures).toEqual([expect.stringMatching(/^gave up on the e-mail [0-9a-f-]{36}$/)]);
      server.behaviour.refusal = undefined;
      clock.advance("2 days");
      await courier().run();
      expect(recipients()).toEqual([]);
    });

    it("never sends an e-mail again that may have arrived", async () => {
      toNextDay();
      await limitReached();
      clock.advance("7200 seconds");
      server.behaviour.refusal = "disconnect";
      await courier().run();
      expect([await states(), recipients()]).toEqual([["unknown"], ["ada@acme.example"]]);

      // Killed after the mail server has accepted the e-mail.
      server.behaviour.refusal = undefined;
      await limitReached();
      toNextDay();
      const killed = { ...opened.store.mail, settle: () => Promise.reject(new Error("killed")) };
      await expect(courier({ store: { ...opened.store, mail: killed } }).run()).rejects.toThrow("killed");
      expect(recipients()).toHaveLength(2);
      await courier().run();
      expect(await states()).toEqual(["sending", "unknown"]);
      clock.advance("901 seconds");
      await courier().run();
      expect([await states(), recipients().length]).toEqual([["unknown", "unknown"], 2]);
      expect(failures.at(-1)).toMatch(
        /^it is unknown whether the e-mail [0-9a-f-]{36} was sent; it is not sent again$/,
      );
    });

    it("does not send what waits for somebody who was disabled", async () => {
      toNextDay();
      await limitReached();
      clock.advance("7200 seconds");
      await courier({ mailer: downMailer() }).run();
      await updateAccount(operation(), undefined, "ada@acme.example", { isDisabled: true });
      expect(await states()).toEqual([]);
    });
  });
}

/** The parts of an e-mail, decoded. */
function mailOf(raw = ""): { headers: string; text: string; html: string } {
  const [headers = "", ...rest] = raw.split("\r\n\r\n");
  const boundary = /boundary="(.*?)"/.exec(headers)?.[1] ?? "no boundary";
  const [, text = "", html = ""] = rest.join("\r\n\r\n").split(`--${boundary}`).map(decoded);
  return { headers: headers.replace(/\r\n\s+/g, " "), text, html };
}

function decoded(part: string): string {
  const [head = "", ...body] = part.split("\r\n\r\n");
  const text = body.join("\r\n\r\n");
  if (/base64/i.test(head)) return Buffer.from(text, "base64").toString();
  return text.replaceAll("\r\n", "\n");
}
