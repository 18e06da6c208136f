import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day, licence } from "../../domain/licences/terms.ts";
import { organization, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`A batch on ${engine.name}`, () => {
    const opened = sharedStore(engine);
    const entry = (id: string) => ({
      ...{ id, actor: "test", action: "organization.renamed", subject: id, before: null, after: null },
      created: day(1),
    });

    it("is written before anything else is read or written, so that no later write is overwritten", async () => {
      const { store } = opened;
      const { base } = await storedVersion(store);
      const acme = organization();
      const owned = licence({ organizationId: acme.id, base, id: newId(day(1)), starts: day(1), expires: day(40) });
      await store.change(async (tables) => {
        await tables.organizations.insert(acme);
        await tables.licences.insert(owned);
      });
      const renamed = { ...acme, name: `${acme.name} renamed` };
      await store.change((tables) =>
        tables.customers.inBatch(async (batched) => {
          await batched.organizations.update(renamed);
          await batched.licences.update({ ...owned, expires: day(50) });
          await batched.audit.insert(entry(acme.id) as never);
          // Nothing was written yet.
          expect(await tables.organizations.byId(acme.id)).toEqual(acme);
          expect((await tables.licences.byId(owned.id))?.expires).toEqual(owned.expires);
          expect(await batched.organizations.byId(acme.id)).toEqual(renamed);
          expect((await batched.licences.byId(owned.id))?.expires).toEqual(day(50));
          await batched.licences.update({ ...owned, expires: day(60) });
          // A write that the batch does not keep.
          await batched.customers.update({ organizations: [], licences: [{ ...owned, expires: day(70) }] });
        }),
      );
      expect((await store.licences.byId(owned.id))?.expires).toEqual(day(70));
      expect((await store.audit.list({ limit: 1 }))[0]).toMatchObject({ subject: acme.id });
    });

    it("writes nothing if the work fails", async () => {
      const { store } = opened;
      const acme = organization();
      await store.change((tables) => tables.organizations.insert(acme));
      const failed = store.change((tables) =>
        tables.customers.inBatch(async (batched) => {
          await batched.organizations.update({ ...acme, name: "Other" });
          throw new Error("refused");
        }),
      );
      await expect(failed).rejects.toThrow("refused");
      expect(await store.organizations.byId(acme.id)).toEqual(acme);
    });
  });
}
