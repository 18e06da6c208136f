import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { actorOf } from "../../../src/domain/access/account.ts";
import { Token } from "../../../src/domain/access/token.ts";
import { inviteAccount } from "../../../src/domain/accounts/accounts.ts";
import { deleteAccount } from "../../../src/domain/accounts/operator-actions.ts";
import { startSession } from "../../../src/domain/accounts/sessions.ts";
import { announce } from "../../../src/domain/events/events.ts";
import { createKey } from "../../../src/domain/keys/keys.ts";
import { listedKeysFor } from "../../../src/domain/keys/listing.ts";
import { eraseOrganizationPeople, erasePerson, planErasure } from "../../../src/domain/privacy/erase.ts";
import { exportPerson } from "../../../src/domain/privacy/people.ts";
import { createRequest } from "../../../src/domain/requests/requests.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { attempt, storedOrganization, storedVersion } from "../../adapters/sql/samples.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";

const CLIENT = { address: "203.0.113.9", userAgent: "Ada's browser" };
const STAYS = { evenLast: false };

for (const engine of eitherEngine()) {
  describe(`privacy on ${engine.name}`, () => {
    const { opened, operation, expectRefused } = operatorOn(engine);
    let count = 0;

    /** A person of an organization who has left traces everywhere. */
    async function ada(organizationId?: string, role: "admin" | "viewer" = "viewer") {
      count += 1;
      const { store } = opened;
      const organization = organizationId ?? (await storedOrganization(store)).id;
      const email = `ada_${count}@acme.example`;
      const name = `Ada Lovelace ${count}`;
      const { account } = await inviteAccount(operation(), undefined, { email, name, role, organization });
      const own = { ...operation(), actor: actorOf(account) };
      await store.change((tables) => startSession(tables, own, account, CLIENT, { method: "password" }));
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
      const download = { organizationId: organization, clientIp: CLIENT.address, userAgent: CLIENT.userAgent };
      await store.attempts.append([attempt(download), attempt({ ...download, keyId: issued.key.id })]);
      await store.change(async (tables) => {
        const passkey = { id: newId(NOW), accountId: account.id, credentialId: account.id, publicKey: "public" };
        await tables.twoFactor.insertPasskey({
          ...passkey,
          counter: 0,
          transports: [],
          name,
          created: NOW,
          lastUsed: null,
        });
        await tables.links.insert(
          { accountId: account.id, purpose: "reset", created: NOW, expires: NOW },
          Token.generate().hash(),
        );
        await announce(tables, operation(), { type: "key.created", organizationId: organization, data: { by: email } });
      });
      return { email, name, id: account.id, organization, key: issued.key };
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
      const { pseudonym, rows } = await erasePerson(operation(), id, STAYS);
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

    it("removes the addresses of downloads in the browser, but not of those with a key", async () => {
      const { email, organization, key } = await ada();
      await erasePerson(operation(), email, STAYS);
      const attempts = await opened.store.attempts.list({ organizationId: organization, limit: 10 });
      expect(attempts.map(({ keyId, clientIp, userAgent }) => [keyId, clientIp, userAgent])).toEqual([
        [key.id, CLIENT.address, CLIENT.userAgent],
        [null, null, null],
      ]);
    });

    it("erases someone whose account was deleted before, by address or by id", async () => {
      const [first, second] = [await ada(), await ada()];
      for (const { id } of [first, second]) await deleteAccount(operation(), undefined, id);
      await erasePerson(operation(), first.email, STAYS);
      await erasePerson(operation(), second.id, STAYS);
      expect(await tablesWith(first.email, first.id, second.email, second.id)).toEqual([]);
      await expectRefused(() => erasePerson(operation(), second.id, STAYS), "not_found", "nothing is stored about");
    });

    it("erases the last operator or admin only if that is confirmed", async () => {
      const { email, organization } = await ada(undefined, "admin");
      await expectRefused(() => erasePerson(operation(), email, STAYS), "conflict", "is the last admin of");
      await ada(organization, "admin");
      expect((await planErasure(opened.store, email)).last).toBeNull();
      const root = (await inviteAccount(operation(), undefined, { email: "root@vendor.example", role: "operator" }))
        .account;
      await expectRefused(() => erasePerson(operation(), root.email, STAYS), "conflict", "is the last operator");
      await expectRefused(
        () => erasePerson(operation(), root.email, { evenLast: true, ownId: root.id }),
        "conflict",
        "you cannot erase yourself",
      );
      await erasePerson(operation(), root.email, { evenLast: true });
      expect(await tablesWith(root.email)).toEqual([]);
    });

    it("erases all people of an organization, and nobody else", async () => {
      const other = await ada();
      const { email, organization } = await ada(undefined, "admin");
      const gone = await ada(organization);
      await deleteAccount(operation(), undefined, gone.id);
      expect(await eraseOrganizationPeople(operation(), organization)).toHaveLength(2);
      expect(await tablesWith(email, gone.email)).toEqual([]);
      expect(await tablesWith(other.email)).not.toEqual([]);
    });

    it("exports everything about a person, without secrets and without naming others", async () => {
      const { email, name, id, key } = await ada();
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
      expect(data.attempts).toMatchObject([{ client_ip: CLIENT.address, key_id: null }]);
      expect(data.audit?.map(({ actor }) => actor)).toEqual(expect.arrayContaining([actorOf({ email })]));
      const text = JSON.stringify(data);
      // The operator who invited her.
      expect(text).not.toContain("ada@vendor.example");
      expect(text).not.toContain(bob.email);
      for (const secret of ["hash", "public_key", "credential_id"]) expect(text).not.toContain(`"${secret}"`);
    });
  });
}
