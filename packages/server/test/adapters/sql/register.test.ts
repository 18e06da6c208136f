import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Credential } from "../../../src/domain/access/credential.ts";
import type { Version } from "../../../src/domain/catalogue/version.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import type { Store } from "../../../src/domain/store.ts";
import { day, licence } from "../../domain/licences/terms.ts";
import { build, credentialOf, key, legacyKey, secret, storedOrganization, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`RegisterSource on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("is empty at revision 0 for a new database", async () => {
      expect(await opened.store.revision()).toBe(0);
      expect(await opened.store.snapshot()).toEqual(changesWith({ revision: 0 }));
    });

    it("returns a snapshot of the catalogue with current builds and licences, without keys", async () => {
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
      const changes = await store.snapshot();
      expect(changes.revision).toBe(await store.revision());
      expect(bySomeId(changes.families)).toEqual(bySomeId(await store.families.list()));
      const versions = [{ ...published, currentBuildId: current.id }, unpublished];
      expect(bySomeId(changes.versions)).toEqual(bySomeId(versions));
      expect(changes.currentBuilds).toEqual([current]);
      expect(changes.publishedVersionIds).toEqual(new Set([published.id]));
      expect(changes.licences).toEqual([granted]);
      expect(changes).toMatchObject({ buildIds: [], credentials: [], legacyHashes: [] });
    });

    it("returns exactly the changes since a revision", async () => {
      const { store } = opened;
      const seen = await store.revision();
      expect(await store.changesSince(seen)).toEqual(changesWith({ revision: seen }));
      const added = await storedVersion(store);
      const changes = await store.changesSince(seen);
      expect(changes.versions).toEqual([added]);
      expect(changes.families).toMatchObject([{ base: added.base }]);
      expect(changes.licences).toEqual([]);
      expect(await store.changesSince(seen + 1)).toEqual(changesWith({ revision: seen + 1 }));
    });

    it("returns organizations with limits or a region, and those that no longer have them", async () => {
      const { store } = opened;
      await storedOrganization(store);
      const limited = await storedOrganization(store);
      const seen = await store.revision();
      const limits = { ...NO_LIMITS, downloads_per_day: 3 };
      await store.change((tables) => tables.organizations.update({ ...limited, limits }));
      const changed = [{ id: limited.id, limits, linkRegion: null }];
      expect((await store.changesSince(seen)).organizations).toEqual(changed);
      expect((await store.snapshot()).organizations).toEqual(changed);
      await store.change((tables) => tables.organizations.update({ ...limited, linkRegion: "eu" }));
      const moved = [{ id: limited.id, limits: NO_LIMITS, linkRegion: "eu" }];
      expect((await store.changesSince(seen + 1)).organizations).toEqual(moved);
      expect((await store.snapshot()).organizations).toEqual(moved);
      await store.change((tables) => tables.organizations.update(limited));
      const reset = [{ id: limited.id, limits: NO_LIMITS, linkRegion: null }];
      expect((await store.changesSince(seen + 2)).organizations).toEqual(reset);
      expect((await store.snapshot()).organizations).toEqual([]);
    });

    it("returns a version with its new current build", async () => {
      const [first, second, seen, version] = await published(opened.store);
      await opened.store.change(async (tables) => {
        await tables.builds.setState(first.id, { state: "withdrawn", withdrawn: day(1) });
        await tables.versions.setCurrentBuild(version.id, second.id);
      });
      const changes = await opened.store.changesSince(seen);
      expect(changes.versions).toEqual([{ ...version, currentBuildId: second.id }]);
      expect(changes.currentBuilds).toEqual([second]);
      expect(changes.buildIds).toEqual([first.id]);
    });

    it("returns every secret of a changed key", async () => {
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
      const revoked = { ...changed, revoked: day(1) };
      const changes = await store.changesSince(seen);
      expect(bySomeId(changes.credentials)).toEqual(
        bySomeId([credentialOf(revoked, first), credentialOf(revoked, second)]),
      );
      expect(changes.legacyHashes).toEqual([]);
      await store.change((tables) => tables.legacyKeys.update({ ...old, revoked: day(1) }));
      expect(await store.changesSince(seen + 1)).toMatchObject({ credentials: [], legacyHashes: [old.hash] });
    });

    it("returns every secret once, page by page, even if a page ends between two secrets of a key", async () => {
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
      const all = await store.credentialsAfter(undefined, 1000);
      expect(all.length).toBeGreaterThan(12);
      expect(new Set(all.map(({ hash }) => hash)).size).toBe(all.length);
      for (const limit of [1, 5, all.length]) {
        const pages: Credential[][] = [];
        do pages.push(await store.credentialsAfter(pages.at(-1)?.at(-1), limit));
        while (pages.at(-1)?.length === limit);
        expect(pages.flat()).toEqual(all);
      }
      const found = await store.keys.bySecrets(all.map(({ hash }) => hash));
      expect(bySomeId(found)).toEqual(bySomeId(all));
    });

    it("includes each of many licences once", async () => {
      const { store } = opened;
      const holder = await storedOrganization(store);
      const { base } = await storedVersion(store);
      const seen = await store.revision();
      for (const count of [999, 1, 1]) {
        await store.change(async (tables) => {
          for (let i = 0; i < count; i += 1) {
            const term = { starts: day(i % 100), expires: i % 2 ? day(200) : null };
            await tables.licences.insert(licence({ organizationId: holder.id, base, ...term }));
          }
        });
        const all = await store.licences.list({ organizationId: holder.id });
        expect((await store.changesSince(seen)).licences).toEqual(all);
      }
    });

    it("returns the new end of a licence that was ended", async () => {
      const holder = await storedOrganization(opened.store);
      const { base } = await storedVersion(opened.store);
      const granted = licence({ organizationId: holder.id, base, starts: day(0), expires: null });
      await opened.store.change((tables) => tables.licences.insert(granted));
      const seen = await opened.store.revision();
      await opened.store.change((tables) => tables.licences.update({ ...granted, expires: day(5) }));
      expect((await opened.store.changesSince(seen)).licences).toEqual([{ ...granted, expires: day(5) }]);
    });
  });
}

/** Stores a version with two builds, the first of which is current, and returns them with the revision. */
async function published(store: Store) {
  const version: Version = await storedVersion(store);
  const [first, second] = [build(version.id), build(version.id)];
  await store.change(async (tables) => {
    for (const each of [first, second]) await tables.builds.insert(each);
    await tables.versions.setCurrentBuild(version.id, first.id);
  });
  return [first, second, await store.revision(), version] as const;
}

function changesWith(values: { revision: number }) {
  return {
    families: [],
    versions: [],
    currentBuilds: [],
    publishedVersionIds: new Set(),
    licences: [],
    acceptances: [],
    credentials: [],
    buildIds: [],
    legacyHashes: [],
    manifests: [],
    signingKeys: [],
    freshness: [],
    freshnessKeys: [],
    patches: [],
    organizations: [],
    ...values,
  };
}

function unique(one: number, other: number): string {
  return `${one}${other}`.padStart(4, "0");
}

function bySomeId<T extends object>(rows: T[]): T[] {
  return [...rows].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
