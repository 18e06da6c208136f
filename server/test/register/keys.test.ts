import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createKey, type IssuedKey, revokeKey, rotateKey, updateKey } from "../../src/keys/keys.ts";
import { PlainKey } from "../../src/keys/secret.ts";
import { Register } from "../../src/register/register.ts";
import type { Store } from "../../src/store.ts";
import { engines, type OpenedStore } from "../engines.ts";
import { day } from "../licences/terms.ts";
import { storedOrganization } from "../sql/samples.ts";

const NOW = day(50);

/** A store whose queries are counted, and can be held up behind the database's answer, or fail. */
class Watched {
  readonly asked = { bySecrets: 0, secretsAfter: 0, revision: 0, changesSince: 0 };
  answered = 0;
  isBroken = false;
  /** Which answers are held up, and until when. */
  hold: { answersTo: (keyof Watched["asked"])[]; until: Promise<void> } | undefined;
  readonly store: Store;

  constructor(store: Store) {
    const through =
      <A extends unknown[], R>(name: keyof Watched["asked"], ask: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        this.asked[name] += 1;
        if (this.isBroken) throw new Error("out of reach");
        const { hold } = this;
        const answer = await ask(...args);
        this.answered += 1;
        if (hold?.answersTo.includes(name)) await hold.until;
        return answer;
      };
    this.store = {
      ...store,
      keys: { ...store.keys, bySecrets: through("bySecrets", store.keys.bySecrets) },
      secretsAfter: through("secretsAfter", store.secretsAfter),
      revision: through("revision", store.revision),
      changesSince: through("changesSince", store.changesSince),
    };
  }
}

for (const engine of engines) {
  describe(`the keys of a register on ${engine.name}`, () => {
    const test = (name: string, work: (store: Store, opened: OpenedStore) => Promise<void>) =>
      it(name, async () => {
        const opened = await engine.open();
        await work(opened.store, opened).finally(() => opened.dispose());
      });
    const operation = (store: Store, now = NOW) => ({ store, actor: "test", now });

    async function created(store: Store, but: Partial<Parameters<typeof createKey>[1]> = {}): Promise<IssuedKey> {
      const { id: organizationId } = await storedOrganization(store);
      const request = { organizationId, name: "ci", scopes: ["db.download"], cidrs: [], expires: null, ...but };
      return createKey(operation(store), request);
    }
    async function filled(store: Store): Promise<Register> {
      const register = new Register(store);
      await register.refresh();
      while (!register.hasAllKeys) expect(await register.takeInKeys()).toBe(true);
      return register;
    }

    test("are all there once they are taken in, and asked of no database", async (store) => {
      const scopes = ["apikeys.manage", "db.download"];
      const one = await created(store, { scopes, cidrs: ["192.0.2.0/24"], expires: day(90) });
      const others = [];
      for (let i = 0; i < 600; i += 1) others.push(await created(store));
      const watched = new Watched(store);
      const register = await filled(watched.store);
      expect(watched.asked.secretsAfter).toBe(3);
      const { id, organizationId } = one.key;
      const key = { organizationId, scopes: one.key.scopes, cidrs: ["192.0.2.0/24"], expires: day(90) };
      const found = register.knownKey(one.plain.hash());
      expect(found).toMatchObject({ key: { ...key, revoked: false }, secret: { expires: null } });
      expect(found?.key.id).toBe(id);
      for (const { plain, key } of others) expect(register.knownKey(plain.hash())?.key.id).toBe(key.id);
      expect(watched.asked.bySecrets).toBe(0);
    });

    test("are looked up until then", async (store) => {
      const { plain, key } = await created(store);
      const register = new Register(store);
      expect(await register.takeInKeys()).toBe(false);
      await register.refresh();
      expect(register.hasAllKeys).toBe(false);
      expect(register.knownKey(plain.hash())).toBeUndefined();
      expect((await register.key(plain.hash()))?.key.id).toBe(key.id);
      expect(register.knownKey(plain.hash())?.key.id).toBe(key.id);
      expect(await register.key(PlainKey.generate().hash())).toBeUndefined();
      await revokeKey(operation(store), key.id);
      await register.refresh();
      expect((await register.key(plain.hash()))?.key.revoked).toBeTruthy();
    });

    test("made elsewhere work at once: what changed is taken in before one is refused", async (store) => {
      await created(store);
      const watched = new Watched(store);
      const register = await filled(watched.store);
      const { plain, key } = await created(store);
      expect(register.knownKey(plain.hash())).toBeUndefined();
      expect((await register.key(plain.hash()))?.key.id).toBe(key.id);
      expect(register.knownKey(plain.hash())?.key.id).toBe(key.id);
      expect(watched.asked.bySecrets).toBe(0);
    });

    test("made elsewhere work at once also while the register is told of the time before", async (store) => {
      await created(store);
      const watched = new Watched(store);
      const register = await filled(watched.store);
      const held = Promise.withResolvers<void>();
      watched.hold = { answersTo: ["revision"], until: held.promise };
      const { answered } = watched;
      const before = register.refresh();
      await expect.poll(() => watched.answered).toBe(answered + 1);
      const { plain, key } = await created(store);
      const found = register.key(plain.hash());
      // By then it is asked for what changed: the look-up waits a turn for others to join it.
      await delay(20);
      held.resolve();
      await before;
      expect((await found)?.key.id).toBe(key.id);
    });

    test("that are nobody's cost those who ask at the same time one question", async (store) => {
      await created(store);
      const watched = new Watched(store);
      const register = await filled(watched.store);
      const [revision, strangers] = [watched.asked.revision, Array.from({ length: 50 }, () => PlainKey.generate())];
      const found = await Promise.all(strangers.map((plain) => register.key(plain.hash())));
      expect(found).toEqual(strangers.map(() => undefined));
      expect(watched.asked).toMatchObject({ revision: revision + 1, bySecrets: 0 });
    });

    test("revoked, changed and rotated elsewhere are so after the next refresh", async (store) => {
      const [one, two, three] = [await created(store), await created(store), await created(store)];
      const register = await filled(store);
      await revokeKey(operation(store), one.key.id);
      await updateKey(operation(store), two.key.id, { scopes: [], cidrs: ["10.0.0.0/8"], expires: day(60) });
      const { plain: newer } = await rotateKey(operation(store), three.key.id, 100);
      expect(register.knownKey(one.plain.hash())?.key.revoked).toBe(false);
      await register.refresh();
      expect(register.knownKey(one.plain.hash())?.key.revoked).toBe(true);
      expect(register.knownKey(two.plain.hash())?.key).toMatchObject({
        scopes: [],
        cidrs: ["10.0.0.0/8"],
        expires: day(60),
      });
      expect(register.knownKey(three.plain.hash())?.secret.expires).toEqual(new Date(NOW.getTime() + 100_000));
      expect(register.knownKey(newer.hash())).toMatchObject({ key: { id: three.key.id }, secret: { expires: null } });
      const { plain: newest } = await rotateKey(operation(store), three.key.id, 0);
      await register.refresh();
      const ends = [three.plain, newer, newest].map((plain) => register.knownKey(plain.hash())?.secret.expires);
      expect(ends).toEqual([NOW, NOW, null]);
    });

    test("that change while they are on their way stay as the change left them", async (store) => {
      const { plain, key } = await created(store);
      const watched = new Watched(store);
      const register = new Register(watched.store);
      await register.refresh();
      const held = Promise.withResolvers<void>();
      watched.hold = { answersTo: ["bySecrets", "secretsAfter"], until: held.promise };
      const portion = register.takeInKeys();
      const lookUp = register.key(plain.hash());
      const { answered } = watched;
      await expect.poll(() => watched.answered).toBe(answered + 2);
      await revokeKey(operation(store), key.id);
      await register.refresh();
      held.resolve();
      await portion;
      await lookUp;
      expect(register.hasAllKeys).toBe(true);
      expect(register.knownKey(plain.hash())?.key.revoked).toBe(true);
      expect((await register.key(plain.hash()))?.key.revoked).toBe(true);
    });

    test("are taken in from where it failed, and a change meanwhile is not lost", async (store) => {
      const issued = [];
      for (let i = 0; i < 300; i += 1) issued.push(await created(store));
      const watched = new Watched(store);
      const register = new Register(watched.store);
      await register.refresh();
      expect(await register.takeInKeys()).toBe(true);
      watched.isBroken = true;
      await expect(register.takeInKeys()).rejects.toThrow("out of reach");
      const [first, last] = [issued[0], issued.at(-1)] as [IssuedKey, IssuedKey];
      await expect(register.key(last.plain.hash())).rejects.toThrow("out of reach");
      expect(register.knownKey(first.plain.hash())?.key.id).toBe(first.key.id);
      watched.isBroken = false;
      await revokeKey(operation(store), first.key.id);
      const newer = await created(store);
      await register.refresh();
      while (!register.hasAllKeys) await register.takeInKeys();
      expect(watched.asked.secretsAfter).toBe(3);
      expect(register.knownKey(first.plain.hash())?.key.revoked).toBe(true);
      for (const { plain, key } of [...issued.slice(1), newer]) {
        expect(register.knownKey(plain.hash())?.key).toMatchObject({ id: key.id, revoked: false });
      }
    });

    test("that are not in memory are not refused while the database is out of reach", async (store) => {
      const { plain, key } = await created(store);
      const watched = new Watched(store);
      const register = await filled(watched.store);
      watched.isBroken = true;
      expect(register.knownKey(plain.hash())?.key.id).toBe(key.id);
      await expect(register.key(PlainKey.generate().hash())).rejects.toThrow("out of reach");
    });

    test("that were presented before they were made work as soon as they are heard of", async (store) => {
      await created(store);
      const register = await filled(store);
      const stranger = PlainKey.generate();
      expect(await register.key(stranger.hash())).toBeUndefined();
      const { key } = await created(store);
      const secret = { hash: stranger.hash(), keyId: key.id, prefix: stranger.prefix, created: NOW, expires: null };
      await store.change(async (tables) => {
        await tables.keys.addSecret(secret);
        await tables.keys.update({ ...key, prefix: stranger.prefix });
      });
      await register.refresh();
      expect(register.knownKey(stranger.hash())?.key.id).toBe(key.id);
    });

    test("of a new database are taken in once there are any", async (store) => {
      const register = new Register(store);
      await register.refresh();
      expect(await register.takeInKeys()).toBe(false);
      expect(await register.key(PlainKey.generate().hash())).toBeUndefined();
      const { plain, key } = await created(store);
      expect((await register.key(plain.hash()))?.key.id).toBe(key.id);
      await revokeKey(operation(store), key.id);
      await register.refresh();
      expect((await register.key(plain.hash()))?.key.revoked).toBeTruthy();
      while (!register.hasAllKeys) await register.takeInKeys();
      expect(register.knownKey(plain.hash())?.key.revoked).toBe(true);
    });
  });
}
