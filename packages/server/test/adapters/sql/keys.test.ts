import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import type { Key, KeySecret } from "../../../src/domain/keys/key.ts";
import { day } from "../../domain/licences/terms.ts";
import { credentialOf, key, legacyKey, secret, storedOrganization } from "./samples.ts";

for (const engine of engines) {
  describe(`KeyStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    async function stored(but: Partial<Key> = {}): Promise<[Key, KeySecret]> {
      const added = key(but);
      const first = secret(added);
      await opened.store.change((tables) => tables.keys.insert(added, first));
      return [added, first];
    }

    it("returns keys as they were created, by id, prefix and secret", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const full: Partial<Key> = {
        organizationId,
        name: "ci 'ünï' 🚀",
        scopes: ["db.download", "apikeys.manage"],
        cidrs: ["10.0.0.0/8", "2001:db8::/32"],
        expires: day(9),
        lastUsed: day(1),
        revoked: day(2),
      };
      for (const but of [full, { scopes: [], cidrs: [] }]) {
        const [added, first] = await stored(but);
        expect(await opened.store.keys.byId(added.id)).toEqual(added);
        expect(await opened.store.keys.byPrefix(added.prefix)).toEqual(added);
        expect(await opened.store.keys.bySecret(first.hash)).toEqual(credentialOf(added, first));
      }
    });

    it("finds no key by an unknown id, prefix or secret", async () => {
      const [added, first] = await stored();
      expect(await opened.store.keys.byId(added.prefix)).toBeUndefined();
      expect(await opened.store.keys.byPrefix(added.id)).toBeUndefined();
      expect(await opened.store.keys.byPrefix(added.prefix.slice(0, -1))).toBeUndefined();
      expect(await opened.store.keys.byPrefix(added.prefix.toUpperCase())).toBeUndefined();
      expect(await opened.store.keys.bySecret(hashSecret(first.hash))).toBeUndefined();
    });

    it("lists keys newest first, all of them or those of one organization", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const [[one], [two], [operatorKey]] = [
        await stored({ organizationId }),
        await stored({ organizationId }),
        await stored(),
      ];
      expect(await opened.store.keys.list({ organizationId })).toEqual([two, one]);
      const all = await opened.store.keys.list({});
      expect(all.slice(0, 3)).toEqual([operatorKey, two, one]);
      expect(await opened.store.keys.list({ organizationId: "unknown" })).toEqual([]);
      const first = await opened.store.keys.page({}, { limit: 1 });
      expect(first.items).toEqual([operatorKey]);
      expect((await opened.store.keys.page({}, { after: first.next, limit: 1 })).items).toEqual([two]);
    });

    it("counts the keys of an organization that are neither revoked nor expired", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      await stored({ organizationId });
      await stored({ organizationId, expires: day(3) });
      await stored({ organizationId, revoked: day(1) });
      await stored();
      expect(await opened.store.keys.countLive(organizationId, day(2))).toBe(2);
      expect(await opened.store.keys.countLive(organizationId, day(3))).toBe(1);
      expect(await opened.store.keys.countLive("unknown", day(2))).toBe(0);
    });

    it("stores the last use, which never goes back and does not count as a change", async () => {
      const [[one], [two]] = [await stored(), await stored({ lastUsed: day(5) })];
      const old = legacyKey();
      await opened.store.change((tables) => tables.legacyKeys.insert(old));
      const revision = await opened.store.revision();
      const uses = [one.id, two.id, old.id, "unknown"].map((id) => [id, day(4)] as const);
      await opened.store.keys.setLastUsed(uses);
      await opened.store.keys.setLastUsed([]);
      expect(await opened.store.keys.byId(one.id)).toEqual({ ...one, lastUsed: day(4) });
      expect(await opened.store.keys.byId(two.id)).toEqual(two);
      expect(await opened.store.legacyKeys.byId(old.id)).toEqual({ ...old, lastUsed: day(4) });
      expect(await opened.store.revision()).toBe(revision);
    });

    it("remembers the key created for an Idempotency-Key, per organization, until it is removed", async () => {
      const [{ id: organizationId }, other] = [
        await storedOrganization(opened.store),
        await storedOrganization(opened.store),
      ];
      const [made] = await stored({ organizationId });
      const creation = { organizationId, idempotencyHash: "hash", keyId: made.id, created: day(5) };
      const { keys } = opened.store;
      await opened.store.change((tables) => tables.keys.insertCreation(creation));
      expect(await keys.creation(organizationId, "hash")).toEqual(creation);
      expect(await keys.creation(other.id, "hash")).toBeUndefined();
      expect(await keys.creation(organizationId, "other")).toBeUndefined();
      const twice = opened.store.change((tables) => tables.keys.insertCreation(creation));
      await expect(twice).rejects.toThrow(/unique/i);
      await keys.removeCreations(new Date(day(5).getTime() - 1));
      expect(await keys.creation(organizationId, "hash")).toEqual(creation);
      await keys.removeCreations(day(5));
      expect(await keys.creation(organizationId, "hash")).toBeUndefined();
    });

    it("updates everything except the last use, which is written separately", async () => {
      const [added] = await stored();
      const [other] = await stored();
      await opened.query(`update keys set last_used = '${day(5).toISOString()}' where id = '${added.id}'`);
      const changed: Key = {
        ...added,
        name: "renamed",
        prefix: "dbd_renewed0",
        scopes: [],
        cidrs: [],
        expires: day(8),
        revoked: day(7),
      };
      await opened.store.change((tables) => tables.keys.update(changed));
      expect(await opened.store.keys.byId(added.id)).toEqual({ ...changed, lastUsed: day(5) });
      expect(await opened.store.keys.byId(other.id)).toEqual(other);
    });

    it("finds a key by every secret it has had", async () => {
      const [added, first] = await stored();
      const second = secret(added, { prefix: "dbd_second00" });
      await opened.store.change((tables) => tables.keys.addSecret(second));
      expect(await opened.store.keys.bySecret(first.hash)).toEqual(credentialOf(added, first));
      expect(await opened.store.keys.bySecret(second.hash)).toEqual(credentialOf(added, second));
      expect(await opened.store.keys.byPrefix(first.prefix)).toEqual(added);
      expect(await opened.store.keys.byPrefix(second.prefix)).toEqual(added);
    });

    it("ends older secrets of the key, without extending any", async () => {
      const [added, first] = await stored();
      const [, others] = await stored();
      const expiries = [null, day(3), day(10), day(20)];
      const older = expiries.map((expires, i) =>
        secret(added, { expires, prefix: `${added.prefix.slice(0, -1)}${i}x` }),
      );
      const newest = secret(added, { prefix: `${added.prefix}n` });
      await opened.store.change(async (tables) => {
        for (const each of [...older, newest]) await tables.keys.addSecret(each);
        await tables.keys.endOlderSecrets({ id: added.id, prefix: newest.prefix }, day(10));
      });
      const ends = async (each: KeySecret) => (await opened.store.keys.bySecret(each.hash))?.secretExpires;
      expect(await Promise.all([first, ...older].map(ends))).toEqual([day(10), day(10), day(3), day(10), day(10)]);
      expect(await ends(newest)).toBeNull();
      expect(await ends(others)).toBeNull();
      const { overlaps } = opened.store.keys;
      expect(await overlaps([added.id, others.keyId], day(5))).toEqual(new Map([[added.id, day(10)]]));
      expect(await overlaps([added.id], day(10))).toEqual(new Map());
      expect(await overlaps([others.keyId], day(5))).toEqual(new Map());
      expect(await opened.store.keys.names([added.id, "unknown"])).toEqual(new Map([[added.id, added.name]]));
    });

    it("rejects a duplicate prefix or secret, and an organization that does not exist", async () => {
      const [added, first] = await stored();
      const wrong: [Key, KeySecret][] = [
        [key({ prefix: added.prefix }), secret(key())],
        [key(), { ...first, prefix: "dbd_other000" }],
        [key({ organizationId: "unknown" }), secret(key())],
      ];
      const before = await opened.dump();
      for (const [twin, twinSecret] of wrong) {
        const inserting = opened.store.change((tables) => tables.keys.insert(twin, { ...twinSecret, keyId: twin.id }));
        await expect(inserting).rejects.toThrow(/unique|foreign key/i);
      }
      expect(await opened.dump()).toEqual(before);
    });
  });

  describe(`LegacyKeyStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("returns legacy keys as they were created, by id and hash", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const added = legacyKey({
        organizationId,
        databaseIds: ["vpn_ip_v1", "bogon_ip_v2"],
        lastUsed: day(1),
        revoked: day(2),
      });
      await opened.store.change((tables) => tables.legacyKeys.insert(added));
      expect(await opened.store.legacyKeys.byId(added.id)).toEqual(added);
      expect(await opened.store.legacyKeys.byHash(added.hash)).toEqual(added);
      expect(await opened.store.legacyKeys.byId(added.hash)).toBeUndefined();
      expect(await opened.store.legacyKeys.byHash(hashSecret(added.id))).toBeUndefined();
    });

    it("lists legacy keys newest first, and updates everything except the last use", async () => {
      const [one, two] = [legacyKey(), legacyKey()];
      await opened.store.change(async (tables) => {
        await tables.legacyKeys.insert(two);
        await tables.legacyKeys.insert(one);
      });
      expect((await opened.store.legacyKeys.list()).slice(0, 2)).toEqual([two, one]);
      await opened.query(`update legacy_keys set last_used = '${day(5).toISOString()}' where id = '${one.id}'`);
      const changed = { ...one, name: "renamed", databaseIds: ["bogon_ip_v1"], revoked: day(6) };
      await opened.store.change((tables) => tables.legacyKeys.update(changed));
      expect((await opened.store.legacyKeys.list()).slice(0, 2)).toEqual([two, { ...changed, lastUsed: day(5) }]);
    });

    it("lists legacy keys by organization and in pages", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const [one, two, three] = [legacyKey({ organizationId }), legacyKey({ organizationId }), legacyKey()];
      await opened.store.change(async (tables) => {
        for (const each of [one, two, three]) await tables.legacyKeys.insert(each);
      });
      const { list, page } = opened.store.legacyKeys;
      expect(await list({ organizationId })).toEqual([two, one]);
      const { items, next } = await page({}, { limit: 2 });
      expect(items).toEqual([three, two]);
      expect((await page({}, { after: next, limit: 1 })).items).toEqual([one]);
    });

    it("rejects a duplicate UUID", async () => {
      const one = legacyKey();
      const twin = legacyKey({ hash: one.hash });
      await opened.store.change((tables) => tables.legacyKeys.insert(one));
      await expect(opened.store.change((tables) => tables.legacyKeys.insert(twin))).rejects.toThrow(/unique/i);
    });
  });
}
