import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { actorOf } from "../../../src/domain/access/account.ts";
import { Token } from "../../../src/domain/access/token.ts";
import { inviteAccount } from "../../../src/domain/accounts/accounts.ts";
import { deleteAccount } from "../../../src/domain/accounts/operator-actions.ts";
import { startSession } from "../../../src/domain/accounts/sessions.ts";
import { record } from "../../../src/domain/audit/audit.ts";
import { directorySpool } from "../../../src/domain/downloads/spool.ts";
import { announce } from "../../../src/domain/events/events.ts";
import { createKey } from "../../../src/domain/keys/keys.ts";
import { listedKeysFor } from "../../../src/domain/keys/listing.ts";
import { eraseOrganizationPeople, erasePerson, planErasure } from "../../../src/domain/privacy/erase.ts";
import { erasedAmong } from "../../../src/domain/privacy/erased.ts";
import { exportPerson } from "../../../src/domain/privacy/people.ts";
import { issueProgramKey } from "../../../src/domain/programs/program-keys.ts";
import { createRequest } from "../../../src/domain/requests/requests.ts";
import type { Operation } from "../../../src/domain/store.ts";
import { createWebhook } from "../../../src/domain/webhooks/webhooks.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { attempt, storedOrganization, storedVersion } from "../../adapters/sql/samples.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";

/** A server of the organization, which uses a key that a person created. */
const SERVER = { clientIp: "192.0.2.200", userAgent: "a server" };
const PROGRAM = { id: "dbdepot-cli", name: "dbdepot", redirects: [], implied: [] };
const STAYS = { evenLast: false };

for (const engine of eitherEngine()) {
  describe(`privacy on ${engine.name}`, () => {
    const { opened, operation, expectRefused } = operatorOn(engine);
    const data = mkdtempSync(join(tmpdir(), "dbdepot-privacy-"));
    const spool = directorySpool(join(data, "spool"), (message) => expect.unreachable(message));
    afterAll(() => rmSync(data, { recursive: true }));
    let count = 0;

    /** A person of an organization who has left traces everywhere. */
    async function ada(organizationId?: string, role: "admin" | "viewer" = "viewer") {
      count += 1;
      const { store } = opened;
      const organization = organizationId ?? (await storedOrganization(store)).id;
      const email = `ada_${count}@acme.example`;
      const name = `Ada Lovelace ${count}`;
      const client = { address: `203.0.113.${count}`, userAgent: `browser ${count} of Ada` };
      const { account } = await inviteAccount(operation(), undefined, { email, name, role, organization });
      const own = { ...operation(), actor: actorOf(account) };
      await store.change((tables) => startSession(tables, own, account, client, { method: "password" }));
      const { base } = await storedVersion(store);
      const wanted = { organizationId: organization, base, person: { email, name }, message: `I am ${name}` };
      await createRequest(own, wanted);
      const issued = await createKey(own, {
        organizationId: organization,
        name: `CI of ${email.toUpperCase()}`,
        scopes: ["db.download"],
        cidrs: [],
        expires: null,
      });
      const download = { organizationId: organization, clientIp: client.address, userAgent: client.userAgent };
      await store.attempts.append([attempt(download), attempt({ ...download, ...SERVER, keyId: issued.key.id })]);
      await store.change(async (tables) => {
        const passkey = { id: newId(NOW), accountId: account.id, credentialId: account.id, publicKey: "public" };
        await tables.twoFactor.insertPasskey({
          ...passkey,
          counter: 0,
          transports: [],
          name,
          created: NOW,
          lastUsed: null,
          signsInAlone: true,
        });
        await tables.links.insert(
          { accountId: account.id, purpose: "reset", created: NOW, expires: NOW },
          Token.generate().hash(),
        );
        await announce(tables, operation(), { type: "key.created", organizationId: organization, data: { by: email } });
      });
      return { email, name, id: account.id, organization, client, key: issued.key };
    }

    /** The tables and files in which a text occurs. */
    async function placesWith(text: string): Promise<string[]> {
      const folders = [data, ...(opened.address.engine === "sqlite" ? [dirname(opened.address.path)] : [])];
      const found = await tablesWith(text);
      for (const folder of folders) {
        for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
          const path = join(file.parentPath, file.name);
          if (file.isFile() && (await readFile(path)).includes(text)) found.push(path);
        }
      }
      return found;
    }

    /** The tables in which a text occurs. */
    async function tablesWith(...texts: string[]): Promise<string[]> {
      const dump = Object.entries(await opened.dump());
      const found = dump.filter(([, rows]) => {
        const json = JSON.stringify(rows).toLowerCase();
        return texts.some((text) => json.includes(text.toLowerCase()));
      });
      return found.map(([table]) => table).sort();
    }

    it("erases every trace of a person, and keeps what belongs to the organization", async () => {
      const { email, name, id, organization, key } = await ada();
      const bystander = await ada(organization);
      expect(await tablesWith(email, id, name)).toEqual([
        "access_requests",
        "account_links",
        "account_passkeys",
        "account_sessions",
        "accounts",
        "audit",
        "events",
        "keys",
      ]);
      const plan = await planErasure(opened.store, email.toUpperCase());
      const { pseudonym, rows } = await erasePerson(operation(), spool, id, STAYS);
      expect(rows).toEqual(plan.rows);
      expect(rows).toContainEqual({ table: "account_sessions", action: "deleted", count: 1 });
      expect(await tablesWith(email, id, name)).toEqual([]);
      expect(await tablesWith(bystander.email)).toContain("accounts");
      expect(pseudonym).toMatch(/^person-[0-9a-f]{16}$/);
      const [entry] = await opened.store.audit.list({ limit: 1 });
      expect(entry).toMatchObject({ action: "privacy.erased", subject: pseudonym, before: null });
      const { keys } = opened.store;
      expect(await keys.byId(key.id)).toMatchObject({ name: `CI of ${pseudonym}`, revoked: null });
      const [listed] = await listedKeysFor(opened.store, organization, [key], NOW);
      expect(listed?.created_by).toBe(`account:${pseudonym}`);
      const about = await opened.store.audit.list({ subjects: [pseudonym], limit: 100 });
      expect(about.map(({ action }) => action)).toEqual(["privacy.erased", "account.signed_in", "account.invited"]);
      expect(about[1]?.after).toEqual({ method: "password", address: null, userAgent: null });
      const [request] = (await opened.store.requests.list({ organizationId: organization })).filter(
        ({ person }) => person.email === pseudonym,
      );
      expect(request).toMatchObject({ person: { name: pseudonym }, message: "", state: "pending" });
    });

    /** The event of a new key, as it was sent to a webhook. */
    async function logDelivery(own: Operation, organizationId: string, keyId: string) {
      const { events, webhooks } = opened.store;
      const organization = async () => ({ id: organizationId });
      const { id: webhookId } = await createWebhook(own, organization, { url: "https://hooks.acme.example/" });
      const event = (await events.after(undefined, 10_000)).find(({ data }) => data.id === keyId);
      await webhooks.addDelivery({
        id: newId(NOW),
        webhookId,
        eventId: event?.id ?? "",
        eventType: "key.created",
        attempt: 1,
        trigger: "event",
        outcome: "delivered",
        httpStatus: 200,
        error: null,
        durationMs: 1,
        created: NOW,
        request: { headers: {}, body: JSON.stringify({ type: "key.created", data: event?.data }), isCut: false },
        response: { headers: {}, body: `Thank you for ${JSON.stringify(event?.data)} which we cu`, isCut: true },
      });
    }

    /** A program on a person's machine that signed in and downloaded, also while the database was unreachable. */
    async function programOf({ email, id, organization }: Awaited<ReturnType<typeof ada>>) {
      const host = `lovelace-laptop-${count}`;
      const [address, userAgent] = [`198.51.100.${count}`, `ada-script/${count}`];
      const asking = { programId: PROGRAM.id, scopes: ["db.download" as const], host, address };
      const approval = { accountId: id, organizationId: organization, scopes: asking.scopes, days: 30 };
      const own = { ...operation(), actor: actorOf({ email }) };
      const { key } = await opened.store.change(async (tables) => {
        const after = { programId: PROGRAM.id, organizationId: organization, host, address };
        await record(tables, own, { action: "sign_in.approved", subject: newId(NOW), after });
        const issued = await issueProgramKey(tables, own, PROGRAM, asking, approval);
        return issued ?? expect.unreachable("the approval holds");
      });
      const request = { name: `copy for ${host}`, scopes: [], cidrs: [], expires: null };
      await createKey(own, { ...request, organizationId: organization });
      await createKey(operation(), { ...request, organizationId: organization, name: `Key of ADA Lovelace ${count}!` });
      const used = { organizationId: organization, keyId: key.id, clientIp: address, userAgent };
      // Nothing about the person is left in the second one, so the report must not count it.
      await opened.store.attempts.append([attempt(used), attempt({ ...used, clientIp: null, userAgent: null })]);
      await spool.put([attempt(used)]);
      await logDelivery(own, organization, key.id);
      return { key, planted: [host, address, userAgent] };
    }

    it.each(["has an account", "was deleted before"])(
      "leaves nothing in any table or file of a person who %s",
      async (state) => {
        const person = await ada();
        const { key, planted } = await programOf(person);
        const texts = [person.email, person.id, person.name, ...Object.values(person.client), ...planted];
        if (state === "was deleted before") await deleteAccount(operation(), undefined, person.id);
        for (const text of [...planted, person.name]) expect(await placesWith(text)).not.toEqual([]);
        const { rows } = await erasePerson(operation(), spool, person.email, STAYS);
        for (const text of texts) expect([text, await placesWith(text)]).toEqual([text, []]);
        expect(rows).toContainEqual({ table: "attempts", action: "anonymized", count: 3 });
        expect(rows).toContainEqual({ table: "sign_ins", action: "deleted", count: 1 });
        expect(await opened.store.keys.byId(key.id)).toMatchObject({ revoked: NOW });
        expect(await opened.store.attempts.list({ keyId: key.id, limit: 10 })).toHaveLength(3);
      },
    );

    it("keeps a keyed digest of the address, until someone invites the person again", async () => {
      const { email, organization } = await ada();
      await erasePerson(operation(), spool, email, STAYS);
      expect(await erasedAmong(opened.store, [email, "bob@acme.example"])).toEqual(new Set([email]));
      for (const algorithm of ["sha256", "sha1", "md5"]) {
        for (const encoding of ["hex", "base64url", "base64"] as const) {
          expect(await tablesWith(hash(algorithm, email, encoding))).toEqual([]);
        }
      }
      await inviteAccount(operation(), undefined, { email, role: "viewer", organization });
      expect(await erasedAmong(opened.store, [email])).toEqual(new Set());
    });

    it("removes the addresses of downloads in the browser, but not of those with a key", async () => {
      const { email, organization, key } = await ada();
      await erasePerson(operation(), spool, email, STAYS);
      const attempts = await opened.store.attempts.list({ organizationId: organization, limit: 10 });
      expect(attempts.map(({ keyId, clientIp, userAgent }) => [keyId, clientIp, userAgent])).toEqual([
        [key.id, SERVER.clientIp, SERVER.userAgent],
        [null, null, null],
      ]);
    });

    it("erases someone whose account was deleted before, by address or by id", async () => {
      const [first, second] = [await ada(), await ada()];
      for (const { id } of [first, second]) await deleteAccount(operation(), undefined, id);
      await erasePerson(operation(), spool, first.email, STAYS);
      await erasePerson(operation(), spool, second.id, STAYS);
      expect(await tablesWith(first.email, first.id, second.email, second.id)).toEqual([]);
      await expectRefused(
        () => erasePerson(operation(), spool, second.id, STAYS),
        "not_found",
        "nothing is stored about",
      );
    });

    it("erases the last operator or admin only if that is confirmed", async () => {
      const { email, organization } = await ada(undefined, "admin");
      await expectRefused(() => erasePerson(operation(), spool, email, STAYS), "conflict", "is the last admin of");
      await ada(organization, "admin");
      expect((await planErasure(opened.store, email)).last).toBeNull();
      const root = (await inviteAccount(operation(), undefined, { email: "root@vendor.example", role: "operator" }))
        .account;
      await expectRefused(() => erasePerson(operation(), spool, root.email, STAYS), "conflict", "is the last operator");
      await expectRefused(
        () => erasePerson(operation(), spool, root.email, { evenLast: true, ownId: root.id }),
        "conflict",
        "you cannot erase yourself",
      );
      const byKey = { evenLast: true, isByKey: true };
      const refusal = "a key cannot erase the vendor's own people";
      await expectRefused(() => erasePerson(operation(), spool, root.email, byKey), "conflict", refusal);
      await erasePerson(operation(), spool, root.email, { evenLast: true });
      expect(await tablesWith(root.email)).toEqual([]);
      await erasePerson(operation(), spool, email, byKey);
      expect(await tablesWith(email)).toEqual([]);
    });

    it("erases all people of an organization, and nobody else", async () => {
      const other = await ada();
      const { email, organization } = await ada(undefined, "admin");
      const gone = await ada(organization);
      await deleteAccount(operation(), undefined, gone.id);
      expect(await eraseOrganizationPeople(operation(), spool, organization)).toHaveLength(2);
      expect(await tablesWith(email, gone.email)).toEqual([]);
      expect(await tablesWith(other.email)).not.toEqual([]);
    });

    it("exports everything about a person, without secrets and without naming others", async () => {
      const { email, name, id, client, key } = await ada();
      const bob = { email: `bob_${count}@acme.example`, role: "operator" } as const;
      await inviteAccount({ ...operation(), actor: actorOf({ email }) }, undefined, bob);
      const { data, ...document } = await exportPerson(opened.store, email, NOW);
      expect(document).toEqual({ email, name, account_ids: [id], exported: NOW.toISOString() });
      expect(Object.keys(data).sort()).toEqual([
        "access_requests",
        "account_links",
        "account_passkeys",
        "account_sessions",
        "accounts",
        "attempts",
        "audit",
        "events",
        "keys",
        "keys_created",
      ]);
      expect(data.keys_created).toMatchObject([{ id: key.id, prefix: key.prefix }]);
      expect(data.attempts).toMatchObject([{ client_ip: client.address, key_id: null }]);
      expect(data.audit?.map(({ actor }) => actor)).toEqual(expect.arrayContaining([actorOf({ email })]));
      const text = JSON.stringify(data);
      // The operator who invited her.
      expect(text).not.toContain("ada@vendor.example");
      expect(text).not.toContain(bob.email);
      for (const secret of ["hash", "public_key", "credential_id"]) expect(text).not.toContain(`"${secret}"`);
    });
  });
}
