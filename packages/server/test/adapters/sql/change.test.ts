import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import type { Store, Tables } from "../../../src/domain/store.ts";
import { day, licence } from "../../domain/licences/terms.ts";
import { runReplicas } from "./replicas.ts";
import { build, family, key, legacyKey, organization, secret, storedOrganization, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`Store.change on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    async function revision(): Promise<number> {
      const [row] = await opened.query("select value from revision");
      return Number(row?.value);
    }

    it("returns the result of its callback and increments the revision", async () => {
      const before = await revision();
      expect(await opened.store.change(async () => "done")).toBe("done");
      expect(await revision()).toBe(before + 1);
      await opened.store.change(async () => {});
      expect(await revision()).toBe(before + 2);
    });

    it("writes its revision into every row that it changes", async () => {
      const holder = await storedOrganization(opened.store);
      const first = await storedVersion(opened.store);
      const added = build(first.id);
      const owned = key({ organizationId: holder.id });
      const old = legacyKey();
      const granted = licence({ organizationId: holder.id, base: first.base, starts: day(0), expires: null });
      await opened.store.change(async (tables) => {
        await tables.builds.insert(added);
        await tables.keys.insert(owned, secret(owned));
        await tables.legacyKeys.insert(old);
        await tables.licences.insert(granted);
      });
      const rows = { builds: added.id, keys: owned.id, legacy_keys: old.id, licences: granted.id, versions: first.id };
      const revisions = async () =>
        Promise.all(
          Object.entries(rows).map(async ([table, id]) => {
            const [row] = await opened.query(`select revision from ${table} where id = '${id}'`);
            return Number(row?.revision);
          }),
        );
      const inserted = await revision();
      expect((await revisions()).slice(0, 4)).toEqual([inserted, inserted, inserted, inserted]);
      await opened.store.change(async (tables) => {
        await tables.builds.setState(added.id, { state: "published" });
        await tables.keys.update(owned);
        await tables.legacyKeys.update(old);
        await tables.licences.update({ ...granted, expires: day(9) });
        await tables.versions.setCurrentBuild(first.id, added.id);
      });
      expect(await revisions()).toEqual(Array.from({ length: 5 }, () => inserted + 1));
    });

    it("rolls back rows, audit entries and the revision if the callback throws", async () => {
      const before = await opened.dump();
      const failing = opened.store.change(async (tables) => {
        await tables.organizations.insert(organization());
        const added = family();
        await tables.families.insert(added);
        await tables.audit.insert({
          id: "1",
          actor: "ada",
          action: "family.added",
          subject: added.base,
          before: null,
          after: added,
          created: day(0),
        });
        throw new Error("failed on purpose");
      });
      await expect(failing).rejects.toThrow("failed on purpose");
      expect(await opened.dump()).toEqual(before);
    });

    it("rolls back if the database rejects a row, and the next change succeeds", async () => {
      const taken = await storedOrganization(opened.store);
      const before = await opened.dump();
      const failing = opened.store.change(async (tables) => {
        await tables.families.insert(family());
        await tables.organizations.insert(organization({ name: taken.name }));
      });
      await expect(failing).rejects.toThrow(/unique/i);
      expect(await opened.dump()).toEqual(before);
      await storedOrganization(opened.store);
    });

    it("is invisible to other readers until it commits, and does not block them", async () => {
      const added = organization();
      await opened.store.change(async (tables) => {
        await tables.organizations.insert(added);
        expect(await tables.organizations.byId(added.id)).toEqual(added);
        expect(await opened.store.organizations.byId(added.id)).toBeUndefined();
      });
      expect(await opened.store.organizations.byId(added.id)).toEqual(added);
    });

    it.each([
      ["organizations", (tables: Tables) => tables.organizations.insert(organization())],
      ["families", (tables: Tables) => tables.families.insert(family())],
      ["keys", (tables: Tables) => tables.keys.insert(key(), secret(key()))],
      ["legacy keys", (tables: Tables) => tables.legacyKeys.insert(legacyKey())],
      ["licences", (tables: Tables) => tables.licences.update(licence({ starts: day(0), expires: null }))],
      ["builds", (tables: Tables) => tables.builds.setState("x", { state: "removed" })],
      ["versions", (tables: Tables) => tables.versions.setCurrentBuild("x", null)],
    ])("is the only way to write %s", async (_, write) => {
      const before = await opened.dump();
      await expect(write(opened.store)).rejects.toThrow("through Store.change");
      expect(await opened.dump()).toEqual(before);
    });
  });

  describe(`concurrent changes on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    /** Each change grants a licence only if the family has none yet. */
    async function grantIfNone(stores: Store[]): Promise<number> {
      const holder = await storedOrganization(opened.store);
      const { base } = await storedVersion(opened.store);
      const term = { organizationId: holder.id, base, starts: day(0), expires: null };
      await Promise.all(
        stores.map((store) =>
          store.change(async ({ licences }) => {
            const held = await licences.list({ base });
            if (held.length === 0) await licences.insert(licence(term));
          }),
        ),
      );
      return (await opened.store.licences.list({ base })).length;
    }

    it("run one after the other, so what one checks is still true when it writes", async () => {
      expect(await grantIfNone(Array.from({ length: 20 }, () => opened.store))).toBe(1);
    });

    it("run one after the other across several stores", async () => {
      const other = await openStore(opened.address);
      expect(await grantIfNone(Array.from({ length: 20 }, (_, i) => (i % 2 ? opened.store : other)))).toBe(1);
      await other.close();
    });

    it("let only one of several requests take a name, and refuse the others", async () => {
      const other = await openStore(opened.address);
      const operations = Array.from({ length: 12 }, (_, i) => ({
        store: i % 2 ? opened.store : other,
        actor: `operator ${i}`,
        now: day(i),
      }));
      const results = await Promise.allSettled(operations.map((operation) => addOrganization(operation, "Wanted")));
      await other.close();
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused).toHaveLength(11);
      for (const { reason } of refused) expect(reason).toMatchObject({ name: "Fault", kind: "conflict" });
    });

    it("do not block reads while they wait", async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const first = opened.store.change(() => released);
      const waiting = Array.from({ length: 12 }, () => opened.store.change(async () => {}));
      expect(await opened.store.organizations.byId("unknown")).toBeUndefined();
      expect(await opened.store.attempts.list({ limit: 1 })).toEqual([]);
      release();
      await Promise.all([first, ...waiting]);
    });

    it("increment the revision once per success, even if others fail", async () => {
      const [before] = await opened.query("select value from revision");
      const changes = Array.from({ length: 15 }, (_, i) =>
        opened.store.change(async (tables) => {
          await tables.organizations.insert(organization());
          if (i % 3 === 0) throw new Error("failed on purpose");
        }),
      );
      await Promise.allSettled(changes);
      const [after] = await opened.query("select value from revision");
      expect(Number(after?.value) - Number(before?.value)).toBe(10);
    });
  });

  describe(`changes from several processes on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("run one after the other", async () => {
      const results = await runReplicas(opened.address, 3, "number", "15");
      const numbers = results.flat().map(Number);
      expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 45 }, (_, i) => i));
      expect(await opened.query("select value from revision")).toEqual([
        { value: expect.toSatisfy((n) => Number(n) === 45) },
      ]);
    });
  });
}
