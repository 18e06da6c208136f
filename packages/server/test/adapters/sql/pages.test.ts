import type { LicenceSort } from "@dbdepot/contract/operator/licences";
import type { OrganizationSort } from "@dbdepot/contract/operator/organizations";
import type { Sort } from "@dbdepot/contract/operator/queries";
import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Page, PageRequest } from "../../../src/domain/page.ts";
import { day, licence } from "../../domain/licences/terms.ts";
import { attempt, key, legacyKey, organization, secret, storedVersion } from "./samples.ts";

/** Follows a list in pages of two. */
async function all<T, Column extends string>(
  page: (request: PageRequest<Column>) => Promise<Page<T>>,
  request: PageRequest<Column> = {},
): Promise<T[]> {
  const items: T[] = [];
  let after: PageRequest<Column>["after"];
  do {
    const found = await page({ ...request, after, limit: 2 });
    items.push(...found.items);
    after = found.next;
  } while (after);
  return items;
}

for (const engine of engines) {
  describe(`Lists on ${engine.name}`, () => {
    const opened = sharedStore(engine);
    const now = day(10);

    it("count the items of all pages on request, whatever the page and the order", async () => {
      const { organizations } = await populated("counted");
      const count = async (request: PageRequest<OrganizationSort>) =>
        (await opened.store.organizations.page({}, { search: "counted", counts: true, ...request }, now)).total;
      expect(await count({ limit: 2 })).toBe(organizations.length);
      expect(await count({ limit: 2, sort: "-keys", search: "counted beta" })).toBe(2);
      expect(await count({ limit: 2, counts: false })).toBeUndefined();
      const { next } = await opened.store.organizations.page({}, { search: "counted", limit: 2 }, now);
      expect(await count({ limit: 2, after: next })).toBe(organizations.length);
    });

    /** Five organizations with different holdings. Their names contain the tag. */
    async function populated(tag: string) {
      const { store } = opened;
      const names = ["Öl & Gas", "acme", "Beta_1", "Beta%2", "ACME"];
      const organizations = names.map((name) => organization({ name: `${name} ${tag}` }));
      const { base } = await storedVersion(store);
      await store.change(async (tables) => {
        for (const [index, each] of organizations.entries()) {
          await tables.organizations.insert(each);
          const own = { organizationId: each.id };
          for (let i = 0; i < index % 3; i += 1) {
            await tables.licences.insert(licence({ ...own, base, starts: day(0), expires: day(20 - index - i) }));
            const made = key({ ...own, name: `${i} ${tag}` });
            await tables.keys.insert(made, secret(made));
          }
          await tables.licences.insert(licence({ ...own, base, starts: day(0), expires: day(index) }));
          await tables.licences.insert(licence({ ...own, base, starts: day(15), expires: null }));
          const revoked = key({ ...own, name: `revoked ${tag}`, revoked: day(1) });
          await tables.keys.insert(revoked, secret(revoked));
        }
      });
      const downloads = organizations
        .slice(1, 3)
        .flatMap(({ id: organizationId }, index) => [
          attempt({ organizationId, created: day(index + 1) }),
          attempt({ organizationId, created: day(5), outcome: "denied" }),
        ]);
      await store.attempts.append(downloads);
      return { organizations, base, named: (name: string) => name.replace(` ${tag}`, "") };
    }

    it("are sorted by each column in both orders, through all pages", async () => {
      const { named } = await populated("sorted");
      const sorted = async (sort: Sort<OrganizationSort>) => {
        const page = (request: PageRequest<OrganizationSort>) => opened.store.organizations.page({}, request, now);
        return (await all(page, { search: "sorted", sort })).map(({ name }) => named(name));
      };
      const orders: Record<OrganizationSort, string[]> = {
        name: ["acme", "ACME", "Beta%2", "Beta_1", "Öl & Gas"],
        created: ["Öl & Gas", "acme", "Beta_1", "Beta%2", "ACME"],
        licences: ["Öl & Gas", "Beta%2", "acme", "ACME", "Beta_1"],
        keys: ["Öl & Gas", "Beta%2", "acme", "ACME", "Beta_1"],
        last_download: ["Öl & Gas", "Beta%2", "ACME", "acme", "Beta_1"],
        next_end: ["ACME", "Beta_1", "acme", "Öl & Gas", "Beta%2"],
      };
      for (const [sort, expected] of Object.entries(orders) as [OrganizationSort, string[]][]) {
        expect({ [sort]: await sorted(sort) }).toEqual({ [sort]: expected });
        expect({ [sort]: await sorted(`-${sort}`) }).toEqual({ [sort]: expected.toReversed() });
      }
    });

    it("return the holdings of organizations", async () => {
      const { organizations } = await populated("held");
      const holdings = await opened.store.organizations.holdings(
        organizations.map(({ id }) => id),
        now,
      );
      expect(organizations.map(({ id }) => holdings.get(id))).toEqual([
        { licences: 0, keys: 0, lastDownload: null, nextEnd: null },
        { licences: 1, keys: 1, lastDownload: day(1), nextEnd: day(19) },
        { licences: 2, keys: 2, lastDownload: day(2), nextEnd: day(17) },
        { licences: 0, keys: 0, lastDownload: null, nextEnd: null },
        { licences: 1, keys: 1, lastDownload: null, nextEnd: day(16) },
      ]);
    });

    it("find words in any order and case, and take special characters literally", async () => {
      const { named } = await populated("found");
      const found = async (search: string) => {
        const { items } = await opened.store.organizations.page({}, { search }, now);
        return items.map(({ name }) => named(name));
      };
      expect(await found("FOUND acme")).toEqual(["acme", "ACME"]);
      expect(await found(" gas  Öl found")).toEqual(["Öl & Gas"]);
      expect(await found("beta_ found")).toEqual(["Beta_1"]);
      expect(await found("% found")).toEqual(["Beta%2"]);
      expect(await found("'; drop found")).toEqual([]);
    });

    it("filter licences by state and kind, and count them", async () => {
      const { organizations, base } = await populated("filtered");
      const { licences } = opened.store;
      const count = (is: "live" | "upcoming" | "ended") => licences.count({ base, state: { is, at: now } });
      expect([await count("live"), await count("upcoming"), await count("ended")]).toEqual([4, 5, 5]);
      expect(await licences.count({ base, redistribution: "contract" })).toBe(
        (await licences.list({ base })).filter(({ redistribution }) => redistribution !== "evaluation").length,
      );
      const ends = async (sort: Sort<LicenceSort>) => {
        const page = (request: PageRequest<LicenceSort>) =>
          licences.page({ base, organizationId: organizations[2]?.id }, request);
        return (await all(page, { sort })).map(({ expires }) => expires);
      };
      expect(await ends("expires")).toEqual([day(2), day(17), day(18), null]);
      expect(await ends("-expires")).toEqual([null, day(18), day(17), day(2)]);
    });

    it("filter keys by whether they are active", async () => {
      const { organizations } = await populated("active");
      const organizationId = organizations[1]?.id;
      const { keys, legacyKeys } = opened.store;
      const names = async (is: boolean) =>
        (await keys.page({ organizationId, active: { is, at: now } }, { sort: "name" })).items.map(({ name }) => name);
      expect(await names(true)).toEqual(["0 active"]);
      expect(await names(false)).toEqual(["revoked active"]);
      const [old, used] = [legacyKey({ organizationId: organizationId ?? null, name: "old" }), legacyKey()];
      await opened.store.change(async (tables) => {
        await tables.legacyKeys.insert({ ...old, revoked: day(1) });
        await tables.legacyKeys.insert(used);
      });
      const found = await legacyKeys.page({ active: { is: false, at: now } }, { search: "acme", sort: "organization" });
      expect(found.items.map(({ id }) => id)).toEqual([old.id]);
    });

    it("refuse a cursor of a list with another order", async () => {
      const { page } = opened.store.organizations;
      const after = { value: "acme", id: organization().id };
      await expect(page({}, { sort: "keys", after }, now)).rejects.toThrow("invalid cursor");
    });
  });
}
