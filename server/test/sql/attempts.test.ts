import { describe, expect, it } from "vitest";
import type { Attempt } from "../../src/downloads/attempt.ts";
import type { AttemptFilter } from "../../src/downloads/store.ts";
import { attemptToWire } from "../../src/downloads/wire.ts";
import { newId } from "../../src/ids.ts";
import { openStore } from "../../src/sql/open.ts";
import { engines, sharedStore } from "../engines.ts";
import { day } from "../licences/terms.ts";
import { attempt, attemptAt } from "./samples.ts";

for (const engine of engines) {
  describe(`attempts on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    /** Attempts of an organization that has no others. */
    function attemptsOf(count: number, but: Partial<Attempt> = {}): Attempt[] {
      const organizationId = newId(day(0));
      return Array.from({ length: count }, () => attempt({ organizationId, ...but }));
    }

    function listed(of: readonly Attempt[], filter: Partial<AttemptFilter> = {}): Promise<Attempt[]> {
      return opened.store.attempts.list({ organizationId: of[0]?.organizationId ?? "", limit: 10_000, ...filter });
    }

    it("come back as they were recorded, full or bare", async () => {
      const full = attempt({
        organizationId: newId(day(0)),
        keyId: newId(day(0)),
        buildId: newId(day(0)),
        cause: "no licence for the family",
        bytes: Number.MAX_SAFE_INTEGER,
        userAgent: "ünï 'quoted' 🚀 \\ %",
        created: new Date("2027-03-04T05:06:07.089Z"),
      });
      const bare = attempt({
        datasetId: "",
        format: "",
        bytes: null,
        clientIp: null,
        userAgent: null,
        keyId: newId(day(0)),
      });
      await opened.store.attempts.append([full, bare]);
      expect(await opened.store.attempts.list({ keyId: String(full.keyId), limit: 9 })).toEqual([full]);
      expect(await opened.store.attempts.list({ keyId: String(bare.keyId), limit: 9 })).toEqual([bare]);
    });

    it("are kept whatever was asked for, also what no database can be called", async () => {
      const [odd] = attemptsOf(1, { datasetId: "vpn\0ip", format: "\0", userAgent: "a\0b" }) as [Attempt];
      await opened.store.attempts.append([odd]);
      const [kept] = await listed([odd]);
      expect(kept?.id).toBe(odd.id);
      expect(kept?.datasetId).toMatch(/^vpn.ip$/);
    });

    it("are there as soon as they are appended, for everybody", async () => {
      const own = attemptsOf(1);
      await opened.store.attempts.append(own);
      const other = await openStore(opened.address);
      expect(await other.attempts.list({ organizationId: String(own[0]?.organizationId), limit: 9 })).toEqual(own);
      await other.close();
    });

    it("that are there already stay as they are, alone and among others", async () => {
      const own = attemptsOf(3);
      await opened.store.attempts.append(own.slice(0, 2));
      await opened.store.attempts.append(own.map((each) => ({ ...each, outcome: "denied", bytes: null })));
      const [first, second, third] = await listed(own).then((rows) => rows.reverse());
      expect([first, second]).toEqual(own.slice(0, 2));
      expect(third).toEqual({ ...own[2], outcome: "denied", bytes: null });
    });

    it("can be none, or one twice in the same call", async () => {
      const [own] = attemptsOf(1) as [Attempt];
      await opened.store.attempts.append([]);
      await opened.store.attempts.append([own, { ...own, format: "csvgz" }]);
      expect(await listed([own])).toEqual([own]);
    });

    it("can be 2500 in one call, and are paged by the last one's id without repeat or gap", async () => {
      const own = attemptsOf(2500);
      await opened.store.attempts.append(own);
      const seen: Attempt[] = [];
      for (;;) {
        const before = seen.at(-1)?.id;
        const page = await listed(own, { limit: 400, ...(before !== undefined && { before }) });
        expect(page.length).toBeLessThanOrEqual(400);
        if (page.length === 0) break;
        seen.push(...page);
      }
      expect(seen).toEqual([...own].reverse());
    });

    it("are paged as customers see them, in JSON, with the way to the next page", async () => {
      const own = [
        ...attemptsOf(1, {
          userAgent: 'ünï "quoted" 🚀 \\ \u0001\u001f\u007f\u2028 \n\t/',
          bytes: Number.MAX_SAFE_INTEGER,
        }),
        ...attemptsOf(1, { outcome: "denied", cause: "no licence", bytes: null, clientIp: null, userAgent: null }),
        ...attemptsOf(1, {
          datasetId: "",
          format: "",
          keyId: newId(day(0)),
          created: new Date("2027-03-04T05:06:07.089Z"),
        }),
      ].map((each, _, [first]) => ({ ...each, organizationId: first?.organizationId ?? null }));
      const [one, two, three] = own as [Attempt, Attempt, Attempt];
      await opened.store.attempts.append(own);
      const organizationId = String(one.organizationId);
      const seen = async (query: { before?: string; limit: number }) => {
        const { json, next } = await opened.store.attempts.page({ organizationId, ...query });
        return { downloads: JSON.parse(`[${json}]`), next };
      };
      const wire = (...attempts: Attempt[]) => attempts.map(attemptToWire);
      expect(await seen({ limit: 3 })).toEqual({ downloads: wire(three, two, one), next: undefined });
      expect(await seen({ limit: 2 })).toEqual({ downloads: wire(three, two), next: two.id });
      expect(await seen({ limit: 2, before: two.id })).toEqual({ downloads: wire(one), next: undefined });
      expect(await seen({ limit: 2, before: one.id })).toEqual({ downloads: [], next: undefined });
      const { json } = await opened.store.attempts.page({ organizationId, limit: 1 });
      expect(json).toBe(JSON.stringify(attemptToWire(three)));
    });

    it("that come in between do not disturb the pages of the older ones", async () => {
      const own = attemptsOf(4);
      const [one, two, three, four] = own as [Attempt, Attempt, Attempt, Attempt];
      await opened.store.attempts.append([one, two, three]);
      expect(await listed(own, { limit: 2 })).toEqual([three, two]);
      await opened.store.attempts.append([four]);
      expect(await listed(own, { limit: 2, before: two.id })).toEqual([one]);
    });

    it("are found by each of their marks, and by all together", async () => {
      const organizationId = newId(day(0));
      const keyId = newId(day(0));
      const mine = { organizationId, keyId, outcome: "denied", api: "v1", created: day(5) } as const;
      const rows = [
        attempt(mine),
        attempt({ ...mine, organizationId: newId(day(0)) }),
        attempt({ ...mine, keyId: newId(day(0)) }),
        attempt({ ...mine, outcome: "expired" }),
        attempt({ ...mine, api: "v2" }),
        attempt({ ...mine, created: new Date(day(5).getTime() - 1) }),
        attempt({ ...mine, created: day(6) }),
      ] as const;
      await opened.store.attempts.append(rows);
      const found = async (filter: Partial<AttemptFilter>) => {
        const list = await opened.store.attempts.list({ limit: 10_000, ...filter });
        return rows.flatMap((row, i) => (list.some(({ id }) => id === row.id) ? [i] : []));
      };
      expect(await found({})).toEqual([0, 1, 2, 3, 4, 5, 6]);
      expect(await found({ organizationId })).toEqual([0, 2, 3, 4, 5, 6]);
      expect(await found({ keyId })).toEqual([0, 1, 3, 4, 5, 6]);
      expect(await found({ outcome: "denied" })).toEqual([0, 1, 2, 4, 5, 6]);
      expect(await found({ api: "v1" })).toEqual([0, 1, 2, 3, 5, 6]);
      expect(await found({ since: day(5) })).toEqual([0, 1, 2, 3, 4, 6]);
      expect(await found({ until: day(6) })).toEqual([0, 1, 2, 3, 4, 5]);
      expect(await found({ until: day(5) })).toEqual([5]);
      expect(await found({ before: rows[3].id })).toEqual([0, 1, 2]);
      expect(await found({ organizationId, keyId, outcome: "denied", api: "v1", since: day(5) })).toEqual([0, 6]);
      expect(await found({ organizationId, limit: 2 })).toEqual([5, 6]);
    });

    it("from before a moment are removed, the oldest first, so many at a time", async () => {
      const fresh = await engine.open();
      const { attempts } = fresh.store;
      const at = [day(1000), day(1000), day(1001), new Date(day(1002).getTime() - 1), day(1002)];
      const rows = at.map((created) => attemptAt(created));
      await attempts.append(rows);
      const left = async () => (await attempts.list({ limit: 9 })).reverse();
      expect(await attempts.removeBefore(day(1000), 9)).toBe(0);
      expect(await attempts.removeBefore(day(1002), 3)).toBe(3);
      expect(await left()).toEqual(rows.slice(3));
      expect(await attempts.removeBefore(day(1002), 3)).toBe(1);
      expect(await attempts.removeBefore(day(1002), 3)).toBe(0);
      expect(await left()).toEqual(rows.slice(4));
      await fresh.dispose();
    });
  });
}
