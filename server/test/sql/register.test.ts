import { describe, expect, it } from "vitest";
import type { Version } from "../../src/catalogue/version.ts";
import type { Licence } from "../../src/licences/licence.ts";
import type { KnownSecret } from "../../src/register/source.ts";
import type { Store } from "../../src/store.ts";
import { engines, sharedStore } from "../engines.ts";
import { day, licence } from "../licences/terms.ts";
import { build, key, legacyKey, secret, storedOrganization, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`what a register is told on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("of an empty database is that there is nothing, at revision 0", async () => {
      expect(await opened.store.revision()).toBe(0);
      expect(await changes(opened.store, 0)).toEqual(nothingBut({ revision: 0 }));
    });

    it("at first is the whole catalogue with its current builds and licences, and no key", async () => {
      const { store } = opened;
      const holder = await storedOrganization(store);
      const published = await storedVersion(store);
      const unpublished = await storedVersion(store);
      const [old, current] = [build(published.id), build(published.id)];
      const granted = licence({ organizationId: holder.id, base: published.base, starts: day(0), expires: null });
      const owned = key({ organizationId: holder.id });
      await store.change(async (tables) => {
        await tables.builds.insert(old);
        await tables.builds.insert(current);
        await tables.versions.setCurrentBuild(published.id, current.id);
        await tables.licences.insert(granted);
        await tables.keys.insert(owned, secret(owned));
      });
      const told = await changes(store, 0);
      expect(told.revision).toBe(await store.revision());
      expect(bySomeId(told.families)).toEqual(bySomeId(await store.families.list()));
      const versions = [{ ...published, currentBuildId: current.id }, unpublished];
      expect(bySomeId(told.versions)).toEqual(bySomeId(versions));
      expect(told.currentBuilds).toEqual([current]);
      expect(told.licences).toEqual([granted]);
      expect(told).toMatchObject({ buildIds: [], secrets: [], legacyHashes: [] });
    });

    it("later is what has changed since, and only that", async () => {
      const { store } = opened;
      const seen = await store.revision();
      expect(await changes(store, seen)).toEqual(nothingBut({ revision: seen }));
      const added = await storedVersion(store);
      const told = await changes(store, seen);
      expect(told.versions).toEqual([added]);
      expect(told.families).toMatchObject([{ base: added.base }]);
      expect(told.licences).toEqual([]);
      expect(await changes(store, seen + 1)).toEqual(nothingBut({ revision: seen + 1 }));
    });

    it("of a flip to another build is the version with its new build", async () => {
      const [first, second, seen, version] = await published(opened.store);
      await opened.store.change(async (tables) => {
        await tables.builds.setState(first.id, { state: "withdrawn", withdrawn: day(1) });
        await tables.versions.setCurrentBuild(version.id, second.id);
      });
      const told = await changes(opened.store, seen);
      expect(told.versions).toEqual([{ ...version, currentBuildId: second.id }]);
      expect(told.currentBuilds).toEqual([second]);
      expect(told.buildIds).toEqual([first.id]);
    });

    it("of a key that changed is every secret that it has had, with what the door asks of it now", async () => {
      const { store } = opened;
      const holder = await storedOrganization(store);
      const [changed, other, old] = [key({ organizationId: holder.id, expires: day(9) }), key(), legacyKey()];
      const [first, second] = [secret(changed, { expires: day(2) }), secret(changed, { prefix: "dbd_second00" })];
      await store.change(async (tables) => {
        await tables.keys.insert(changed, first);
        await tables.keys.addSecret(second);
        await tables.keys.insert(other, secret(other));
        await tables.legacyKeys.insert(old);
      });
      const seen = await store.revision();
      await store.change((tables) => tables.keys.update({ ...changed, revoked: day(1) }));
      const { id, organizationId, scopes, cidrs, expires } = changed;
      const now = { id, organizationId, scopes, cidrs, expires, revoked: day(1) };
      const told = await changes(store, seen);
      expect(bySomeId(told.secrets)).toEqual(
        bySomeId([
          { hash: first.hash, key: now, secret: { expires: day(2) } },
          { hash: second.hash, key: now, secret: { expires: null } },
        ]),
      );
      expect(told.legacyHashes).toEqual([]);
      await store.change((tables) => tables.legacyKeys.update({ ...old, revoked: day(1) }));
      expect(await changes(store, seen + 1)).toMatchObject({ secrets: [], legacyHashes: [old.hash] });
    });

    it("of all keys is, portion by portion, each secret once, also where a key's secrets are torn apart", async () => {
      const { store } = opened;
      await store.change(async (tables) => {
        for (let i = 0; i < 3; i += 1) {
          const added = key({ expires: day(i) });
          await tables.keys.insert(added, secret(added));
          for (let more = 0; more < 3; more += 1) {
            await tables.keys.addSecret(secret(added, { prefix: `dbd_torn${unique(i, more)}`, expires: day(more) }));
          }
        }
      });
      const all = await store.secretsAfter(undefined, 1000);
      expect(all.length).toBeGreaterThan(12);
      expect(new Set(all.map(({ hash }) => hash)).size).toBe(all.length);
      for (const limit of [1, 5, all.length]) {
        const portions: KnownSecret[][] = [];
        do portions.push(await store.secretsAfter(portions.at(-1)?.at(-1), limit));
        while (portions.at(-1)?.length === limit);
        expect(portions.flat()).toEqual(all);
      }
      for (const { hash, ...known } of all) expect(await store.keys.bySecret(hash)).toMatchObject(known);
    });

    it("of many licences is each one once, and before most of them how many there are", async () => {
      const { store } = opened;
      const holder = await storedOrganization(store);
      const { base } = await storedVersion(store);
      const seen = await store.revision();
      for (const count of [999, 1, 1, 1500]) {
        await store.change(async (tables) => {
          for (let i = 0; i < count; i += 1) {
            const term = { starts: day(i), expires: i % 2 ? day(i + 1) : null };
            await tables.licences.insert(licence({ organizationId: holder.id, base, ...term }));
          }
        });
        const all = await store.licences.list({ organizationId: holder.id });
        const { licences, announced } = await changes(store, seen);
        expect(bySomeId(licences)).toEqual(bySomeId(all));
        expect(announced).toEqual(all.length >= 1000 ? [all.length] : []);
      }
    });

    it("of a licence that was ended is its new end", async () => {
      const holder = await storedOrganization(opened.store);
      const { base } = await storedVersion(opened.store);
      const granted = licence({ organizationId: holder.id, base, starts: day(0), expires: null });
      await opened.store.change((tables) => tables.licences.insert(granted));
      const seen = await opened.store.revision();
      await opened.store.change((tables) => tables.licences.setExpires(granted.id, day(5)));
      expect((await changes(opened.store, seen)).licences).toEqual([{ ...granted, expires: day(5) }]);
    });
  });
}

/** With the licences that came on the way, and how many were said to come. */
async function changes(store: Store, revision: number) {
  const licences: Licence[] = [];
  const announced: number[] = [];
  const told = await store.changesSince(revision, {
    reserve: (count) => void announced.push(count),
    put: (one) => void licences.push(one),
  });
  return { ...told, licences, announced };
}

/** A version with two builds, the first of them current, and the revision by then. */
async function published(store: Store) {
  const version: Version = await storedVersion(store);
  const [first, second] = [build(version.id), build(version.id)];
  await store.change(async (tables) => {
    for (const each of [first, second]) await tables.builds.insert(each);
    await tables.versions.setCurrentBuild(version.id, first.id);
  });
  return [first, second, await store.revision(), version] as const;
}

function nothingBut(said: { revision: number }) {
  return {
    families: [],
    versions: [],
    currentBuilds: [],
    licences: [],
    announced: [],
    buildIds: [],
    secrets: [],
    legacyHashes: [],
    ...said,
  };
}

function unique(one: number, other: number): string {
  return `${one}${other}`.padStart(4, "0");
}

function bySomeId<T extends object>(rows: T[]): T[] {
  return [...rows].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
