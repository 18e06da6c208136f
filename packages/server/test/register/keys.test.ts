import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { eitherEngine, type OpenedStore } from "../../../../rigs/harness/service/engines.ts";
import { PlainKey } from "../../src/domain/access/secret.ts";
import { createKey, type IssuedKey, insertKey, revokeKey, rotateKey, updateKey } from "../../src/domain/keys/keys.ts";
import type { Store } from "../../src/domain/store.ts";
import { Register } from "../../src/register/register.ts";
import { credentialOf, storedOrganization } from "../adapters/sql/samples.ts";
import { day } from "../domain/licences/terms.ts";

const NOW = day(50);

/** A store that counts its queries, and whose responses can be delayed or fail. */
class ObservedStore {
  readonly queries = { bySecrets: 0, credentialsAfter: 0, revision: 0, changesSince: 0 };
  responses = 0;
  isBroken = false;
  hold: { responsesTo: (keyof ObservedStore["queries"])[]; until: Promise<void> } | undefined;
  readonly store: Store;

  constructor(store: Store) {
    const observe =
      <A extends unknown[], R>(name: keyof ObservedStore["queries"], query: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        this.queries[name] += 1;
        if (this.isBroken) throw new Error("unreachable");
        const { hold } = this;
        const response = await query(...args);
        this.responses += 1;
        if (hold?.responsesTo.includes(name)) await hold.until;
        return response;
      };
    this.store = {
      ...store,
      keys: { ...store.keys, bySecrets: observe("bySecrets", store.keys.bySecrets) },
      credentialsAfter: observe("credentialsAfter", store.credentialsAfter),
      revision: observe("revision", store.revision),
      changesSince: observe("changesSince", store.changesSince),
    };
  }

  /** The number of all queries so far. */
  get total(): number {
    return Object.values(this.queries).reduce((sum, count) => sum + count);
  }
}

for (const engine of eitherEngine()) {
  describe(`the keys of a register on ${engine.name}`, () => {
    const test = (name: string, work: (store: Store, opened: OpenedStore) => Promise<void>) =>
      it(name, async () => {
        const opened = await engine.open();
        await work(opened.store, opened).finally(() => opened.dispose());
      });
    const operation = (store: Store, now = NOW) => ({ store, actor: "test", now });

    async function create(store: Store, but: Partial<Parameters<typeof createKey>[1]> = {}): Promise<IssuedKey> {
      const { id: organizationId } = await storedOrganization(store);
      const request = { organizationId, name: "ci", scopes: ["db.download"], cidrs: [], expires: null, ...but };
      return createKey(operation(store), request);
    }
    async function createMany(store: Store, count: number): Promise<IssuedKey[]> {
      const { id: organizationId } = await storedOrganization(store);
      const request = { organizationId, name: "ci", scopes: ["db.download"], cidrs: [], expires: null };
      const large = { ...operation(store), rules: { maxKeysPerOrganization: count } };
      return store.change(async (tables) => {
        const issued = [];
        for (let i = 0; i < count; i += 1) issued.push(await insertKey(tables, large, request));
        return issued;
      });
    }
    async function loadRegister(store: Store): Promise<Register> {
      const register = new Register(store);
      while (!register.hasAllKeys) await register.loadNextKeys();
      return register;
    }

    test("are found without a query once they are all loaded", async (store) => {
      const scopes = ["db.download", "apikeys.manage"];
      const one = await create(store, { scopes, cidrs: ["192.0.2.0/24"], expires: day(90) });
      const others = await createMany(store, 1000);
      const observed = new ObservedStore(store);
      const register = await loadRegister(observed.store);
      expect(observed.queries.credentialsAfter).toBe(2);
      const { total } = observed;
      // The result is not even a promise, so that requests with a known key don't wait.
      expect(register.key(one.plain.hash())).toEqual(credentialOf(one.key, { hash: one.plain.hash() }));
      for (const { plain, key } of others) expect((await register.key(plain.hash()))?.id).toBe(key.id);
      expect(observed.total).toBe(total);
    });

    test("are looked up in the database until they are all loaded", async (store) => {
      const { plain, key } = await create(store);
      const observed = new ObservedStore(store);
      const register = new Register(observed.store);
      await register.refresh();
      expect(register.hasAllKeys).toBe(false);
      for (let i = 0; i < 2; i += 1) expect((await register.key(plain.hash()))?.id).toBe(key.id);
      expect(observed.queries.bySecrets).toBe(1);
      expect(await register.key(PlainKey.generate().hash())).toBeUndefined();
      await revokeKey(operation(store), key.id);
      await register.refresh();
      expect((await register.key(plain.hash()))?.revoked).toEqual(NOW);
    });

    test("work as soon as another process has created them", async (store) => {
      await create(store);
      const observed = new ObservedStore(store);
      const register = await loadRegister(observed.store);
      const { plain, key } = await create(store);
      expect((await register.key(plain.hash()))?.id).toBe(key.id);
      const { total } = observed;
      expect((await register.key(plain.hash()))?.id).toBe(key.id);
      expect(observed.total).toBe(total);
      expect(observed.queries.bySecrets).toBe(0);
    });

    test("work immediately even if a running refresh has read too early to see them", async (store) => {
      await create(store);
      const observed = new ObservedStore(store);
      const register = await loadRegister(observed.store);
      const held = Promise.withResolvers<void>();
      observed.hold = { responsesTo: ["revision"], until: held.promise };
      const { responses } = observed;
      const before = register.refresh();
      await expect.poll(() => observed.responses).toBe(responses + 1);
      const { plain, key } = await create(store);
      const found = register.key(plain.hash());
      // By then the lookup waits for the running refresh.
      await delay(20);
      held.resolve();
      await before;
      expect((await found)?.id).toBe(key.id);
    });

    test("that don't exist are looked up with one query for all concurrent requests", async (store) => {
      await create(store);
      const observed = new ObservedStore(store);
      const register = await loadRegister(observed.store);
      const { revision } = observed.queries;
      const unknown = Array.from({ length: 50 }, () => PlainKey.generate().hash());
      const found = await Promise.all(unknown.map((hash) => register.key(hash)));
      expect(found).toEqual(unknown.map(() => undefined));
      expect(observed.queries).toMatchObject({ revision: revision + 1, bySecrets: 0 });
      await Promise.all(unknown.map((hash) => register.key(hash)));
      expect(observed.queries.revision).toBe(revision + 1);
    });

    test("reflect revocations, updates and rotations after the next refresh", async (store) => {
      const [one, two, three] = [await create(store), await create(store), await create(store)];
      const register = await loadRegister(store);
      await revokeKey(operation(store), one.key.id);
      await updateKey(operation(store), two.key.id, { scopes: [], cidrs: ["10.0.0.0/8"], expires: day(60) });
      const { plain: newer } = await rotateKey(operation(store), three.key.id, 100);
      expect((await register.key(one.plain.hash()))?.revoked).toBeNull();
      await register.refresh();
      expect((await register.key(one.plain.hash()))?.revoked).toEqual(NOW);
      expect(await register.key(two.plain.hash())).toMatchObject({
        scopes: [],
        cidrs: ["10.0.0.0/8"],
        expires: day(60),
      });
      expect((await register.key(three.plain.hash()))?.secretExpires).toEqual(new Date(NOW.getTime() + 100_000));
      expect(await register.key(newer.hash())).toMatchObject({ id: three.key.id, secretExpires: null });
      const { plain: newest } = await rotateKey(operation(store), three.key.id, 0);
      await register.refresh();
      const secrets = await Promise.all([three.plain, newer, newest].map((plain) => register.key(plain.hash())));
      expect(secrets.map((found) => found?.secretExpires)).toEqual([NOW, NOW, null]);
    });

    test("keep changes made while they are being loaded", async (store) => {
      const { plain, key } = await create(store);
      const observed = new ObservedStore(store);
      const register = new Register(observed.store);
      await register.refresh();
      const held = Promise.withResolvers<void>();
      observed.hold = { responsesTo: ["bySecrets", "credentialsAfter"], until: held.promise };
      const { responses } = observed;
      const page = register.loadNextKeys();
      const lookup = register.key(plain.hash());
      await expect.poll(() => observed.responses).toBe(responses + 2);
      await revokeKey(operation(store), key.id);
      await register.refresh();
      held.resolve();
      await page;
      await lookup;
      expect(register.hasAllKeys).toBe(true);
      expect((await register.key(plain.hash()))?.revoked).toEqual(NOW);
    });

    test("continue loading after an outage, including changes made meanwhile", async (store) => {
      const issued = await createMany(store, 1100);
      const observed = new ObservedStore(store);
      const register = new Register(observed.store);
      await register.loadNextKeys();
      observed.isBroken = true;
      await expect(register.loadNextKeys()).rejects.toThrow("unreachable");
      const [first, last] = [issued[0], issued.at(-1)] as [IssuedKey, IssuedKey];
      await expect(register.key(last.plain.hash())).rejects.toThrow("unreachable");
      expect((await register.key(first.plain.hash()))?.id).toBe(first.key.id);
      observed.isBroken = false;
      await revokeKey(operation(store), first.key.id);
      const newer = await create(store);
      await register.refresh();
      while (!register.hasAllKeys) await register.loadNextKeys();
      expect(observed.queries.credentialsAfter).toBe(3);
      const { total } = observed;
      expect((await register.key(first.plain.hash()))?.revoked).toEqual(NOW);
      for (const { plain, key } of [...issued.slice(1), newer]) {
        expect(await register.key(plain.hash())).toMatchObject({ id: key.id, revoked: null });
      }
      expect(observed.total).toBe(total);
    });

    test("that are not in memory cause an error during an outage instead of being refused", async (store) => {
      const { plain, key } = await create(store);
      const observed = new ObservedStore(store);
      const register = await loadRegister(observed.store);
      observed.isBroken = true;
      expect((await register.key(plain.hash()))?.id).toBe(key.id);
      await expect(register.key(PlainKey.generate().hash())).rejects.toThrow("unreachable");
    });

    test("that were refused before they were created work after the next refresh", async (store) => {
      await create(store);
      const register = await loadRegister(store);
      const plain = PlainKey.generate();
      expect(await register.key(plain.hash())).toBeUndefined();
      const { key } = await create(store);
      const secret = { hash: plain.hash(), keyId: key.id, prefix: plain.prefix, created: NOW, expires: null };
      await store.change(async (tables) => {
        await tables.keys.addSecret(secret);
        await tables.keys.update({ ...key, prefix: plain.prefix });
      });
      await register.refresh();
      expect((await register.key(plain.hash()))?.id).toBe(key.id);
    });

    test("work if the database was empty at the start", async (store) => {
      const register = await loadRegister(store);
      expect(register.revision).toBe(0);
      expect(await register.key(PlainKey.generate().hash())).toBeUndefined();
      const { plain, key } = await create(store);
      expect((await register.key(plain.hash()))?.id).toBe(key.id);
      await revokeKey(operation(store), key.id);
      await register.refresh();
      expect((await register.key(plain.hash()))?.revoked).toEqual(NOW);
    });
  });
}
