import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Licence } from "../../../src/domain/licences/licence.ts";
import { day, licence } from "../../domain/licences/terms.ts";
import { storedOrganization, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`LicenceStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    /** Two organizations with a licence for each of two families. */
    async function granted() {
      const { store } = opened;
      const [acme, beta] = [await storedOrganization(store), await storedOrganization(store)];
      const [one, two] = [await storedVersion(store), await storedVersion(store)];
      const licences: Licence[] = [acme, beta].flatMap((holder) =>
        [one, two].map(({ base }) => licence({ organizationId: holder.id, base, starts: day(0), expires: day(9) })),
      );
      await store.change(async (tables) => {
        for (const each of [...licences].reverse()) await tables.licences.insert(each);
      });
      return { acme, beta, one, two, licences };
    }

    it("returns licences as they were granted", async () => {
      const { acme, one } = await granted();
      const terms = { organizationId: acme.id, base: one.base };
      const endless = licence({ ...terms, starts: new Date("2027-03-04T05:06:07.089Z"), expires: null });
      const short = licence({
        ...terms,
        starts: day(1),
        expires: day(1),
        redistribution: "evaluation",
        renewsAt: day(30),
        noticeDueAt: day(20),
      });
      await opened.store.change(async (tables) => {
        await tables.licences.insert(endless);
        await tables.licences.insert(short);
      });
      expect(await opened.store.licences.byId(endless.id)).toEqual(endless);
      expect(await opened.store.licences.byId(short.id)).toEqual(short);
      expect(await opened.store.licences.byId("nothing")).toBeUndefined();
    });

    it("lists licences in the order they were granted, by organization, by family, or both", async () => {
      const { acme, beta, one, two, licences } = await granted();
      const { list } = opened.store.licences;
      const [first, second, third, fourth] = licences;
      expect(await list({ organizationId: acme.id })).toEqual([first, second]);
      expect(await list({ organizationId: beta.id })).toEqual([third, fourth]);
      expect(await list({ base: one.base })).toEqual([first, third]);
      expect(await list({ organizationId: beta.id, base: two.base })).toEqual([fourth]);
      expect(await list({ organizationId: "unknown" })).toEqual([]);
      const own = new Set(licences.map(({ id }) => id));
      expect((await list({})).filter(({ id }) => own.has(id))).toEqual(licences);
    });

    it("lists licences of one kind that have not ended yet, but end before a given time", async () => {
      const { store } = opened;
      const organizationId = (await storedOrganization(store)).id;
      const { base } = await storedVersion(store);
      const add = async (starts: Date, expires: Date | null, redistribution: Licence["redistribution"]) => {
        const added = licence({ organizationId, base, starts, expires, redistribution });
        await store.change((tables) => tables.licences.insert(added));
        return added;
      };
      const soon = await add(day(0), day(20), "evaluation");
      const upcoming = await add(day(15), day(19), "evaluation");
      const paid = await add(day(0), day(15), "internal");
      await add(day(0), day(10), "evaluation");
      await add(day(0), day(24), "evaluation");
      await add(day(0), null, "evaluation");
      // Ended before it began.
      await add(day(15), day(15), "evaluation");
      const ending = { before: day(24), now: day(10) };
      expect(await store.licences.list({ organizationId, ending })).toEqual([soon, upcoming, paid]);
      expect(await store.licences.list({ base, redistribution: "evaluation", ending })).toEqual([soon, upcoming]);
      expect(await store.licences.list({ base, redistribution: "internal" })).toEqual([paid]);
    });

    it("changes and removes the end and the contract dates of a single licence", async () => {
      const { acme, licences } = await granted();
      const [first, second] = licences as [Licence, Licence];
      const { list } = opened.store.licences;
      const changed = { ...first, expires: day(99), renewsAt: day(98), noticeDueAt: day(60) };
      await opened.store.change((tables) => tables.licences.update(changed));
      expect(await list({ organizationId: acme.id })).toEqual([changed, second]);
      const cleared = { ...first, expires: null, renewsAt: null, noticeDueAt: null };
      await opened.store.change((tables) => tables.licences.update(cleared));
      expect(await list({ organizationId: acme.id })).toEqual([cleared, second]);
    });

    it("rejects a licence without an existing organization and family", async () => {
      const { acme, one } = await granted();
      const term = { starts: day(0), expires: null };
      for (const wrong of [
        licence({ ...term, organizationId: acme.id, base: "nothing" }),
        licence({ ...term, organizationId: "unknown", base: one.base }),
      ]) {
        await expect(opened.store.change((tables) => tables.licences.insert(wrong))).rejects.toThrow(/foreign key/i);
      }
    });
  });
}
