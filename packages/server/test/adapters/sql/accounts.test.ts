import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Account } from "../../../src/domain/access/account.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import type { PasswordHash } from "../../../src/domain/accounts/password.ts";
import type { Store } from "../../../src/domain/store.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { account, storedOrganization } from "./samples.ts";

async function stored(store: Store, but: Partial<Account> = {}): Promise<Account> {
  const made = account(but);
  await store.change((tables) => tables.accounts.insert(made));
  return made;
}

function session(accountId: string, name: string, created = day(0)) {
  const id = newId(created);
  const made = { id, accountId, created, lastSeen: created, address: "192.0.2.1", userAgent: name, secondFactor: null };
  return [made, hashSecret(name)] as const;
}

for (const engine of engines) {
  describe(`AccountStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("finds accounts by id and address, with their organization", async () => {
      const { store } = opened;
      const acme = await storedOrganization(store);
      const ada = await stored(store, { role: "admin", organizationId: acme.id });
      const expected = { ...ada, organization: { id: acme.id, name: acme.name, archived: null } };
      expect(await store.accounts.byId(ada.id)).toEqual(expected);
      expect(await store.accounts.byEmail(ada.email)).toEqual(expected);
      expect(await store.accounts.byEmail(ada.email.toUpperCase())).toBeUndefined();
      expect(await store.accounts.byId(newId(day(0)))).toBeUndefined();
    });

    it("lists accounts by address and by organization", async () => {
      const { store } = opened;
      const acme = await storedOrganization(store);
      const member = { role: "viewer", organizationId: acme.id } as const;
      for (const name of ["c", "a", "b"]) await stored(store, { ...member, email: `${name}-${acme.id}@example.com` });
      const listed = await store.accounts.list({ organizationId: acme.id });
      expect(listed.map(({ email }) => email[0])).toEqual(["a", "b", "c"]);
      expect((await store.accounts.list()).length).toBeGreaterThan(3);
    });

    it("keeps the password when an account is updated", async () => {
      const { store } = opened;
      const ada = await stored(store);
      expect(await store.accounts.passwordHash(ada.id)).toBeNull();
      const changed = { ...ada, name: "", role: "operator_viewer", lastSignIn: day(1), disabled: day(2) } as const;
      await store.change(async (tables) => {
        await tables.accounts.setPasswordHash(ada.id, "hash" as PasswordHash);
        await tables.accounts.update(changed);
      });
      expect(await store.accounts.byId(ada.id)).toEqual({ ...changed, organization: null });
      expect(await store.accounts.passwordHash(ada.id)).toBe("hash");
    });

    it("rejects a second account with the same address, and a role that contradicts the organization", async () => {
      const { store } = opened;
      const acme = await storedOrganization(store);
      const ada = await stored(store);
      const twin = account({ email: ada.email });
      await expect(store.change((tables) => tables.accounts.insert(twin))).rejects.toThrow(/unique/i);
      for (const wrong of [account({ role: "admin" }), account({ organizationId: acme.id })]) {
        await expect(store.change((tables) => tables.accounts.insert(wrong))).rejects.toThrow(/check/i);
      }
    });
  });

  describe(`SessionStore and LinkStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("find sessions by the hash of their token, and remove them one by one or together", async () => {
      const { store } = opened;
      const acme = await storedOrganization(store);
      const ada = await stored(store, { role: "admin", organizationId: acme.id });
      const bob = await stored(store);
      const [one, other, third] = [session(ada.id, "one"), session(ada.id, "other"), session(ada.id, "third")];
      const bobs = session(bob.id, "bob's");
      const left = async () => (await store.sessions.list(ada.id)).map(({ userAgent }) => userAgent);
      await store.change(async ({ sessions }) => {
        for (const each of [one, other, third, bobs]) await sessions.insert(...each);
      });
      expect(await store.sessions.byHash(one[1])).toMatchObject({ session: one[0], account: { id: ada.id } });
      expect(await store.sessions.byHash(hashSecret("unknown"))).toBeUndefined();
      expect(await left()).toEqual(["third", "other", "one"]);
      await store.sessions.setLastSeen(one[0].id, day(3));
      expect((await store.sessions.byHash(one[1]))?.session.lastSeen).toEqual(day(3));
      await store.change(({ sessions }) => sessions.remove(third[0].id));
      expect(await left()).toEqual(["other", "one"]);
      await store.change(({ sessions }) => sessions.removeOfAccount(ada.id, other[0].id));
      expect(await left()).toEqual(["other"]);
      await store.change(({ sessions }) => sessions.removeOfOrganization(acme.id));
      expect(await left()).toEqual([]);
      expect(await store.sessions.list(bob.id)).toEqual([bobs[0]]);
    });

    it("remove sessions and links that have ended", async () => {
      const { store } = opened;
      const ada = await stored(store);
      const [idle, old, live] = [
        session(ada.id, "idle", day(10)),
        session(ada.id, "old", day(1)),
        session(ada.id, "live", day(20)),
      ];
      const link = (name: string, expires: Date) =>
        [{ accountId: ada.id, purpose: "reset", created: day(0), expires }, hashSecret(name)] as const;
      await store.change(async ({ sessions, links }) => {
        for (const each of [idle, old, live]) await sessions.insert(...each);
        await sessions.setLastSeen(old[0].id, day(20));
        await links.insert(...link("ended", day(5)));
        await links.insert(...link("open", day(6)));
        await sessions.removeEnded({ lastSeen: day(10), created: day(1) });
        await links.removeExpired(day(5));
      });
      expect(await store.sessions.list(ada.id)).toEqual([live[0]]);
      expect(await store.links.byHash(hashSecret("ended"))).toBeUndefined();
      expect(await store.links.byHash(hashSecret("open"))).toEqual(link("open", day(6))[0]);
      await store.change(({ links }) => links.removeOfAccount(ada.id));
      expect(await store.links.byHash(hashSecret("open"))).toBeUndefined();
    });
  });
}
