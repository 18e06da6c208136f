import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import type { Attempt } from "../../../src/domain/downloads/attempt.ts";
import type { AttemptFilter } from "../../../src/domain/downloads/store.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { runReplicas } from "./replicas.ts";
import { attempt, attemptAt } from "./samples.ts";

for (const engine of engines) {
  describe(`AttemptStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    /** Attempts of a new organization. */
    function attemptsOf(count: number, but: Partial<Attempt> = {}): Attempt[] {
      const organizationId = newId(day(0));
      return Array.from({ length: count }, () => attempt({ organizationId, ...but }));
    }

    function listed(of: readonly Attempt[], filter: Partial<AttemptFilter> = {}): Promise<Attempt[]> {
      return opened.store.attempts.list({ organizationId: of[0]?.organizationId ?? "", limit: 10_000, ...filter });
    }

    it("returns attempts as they were recorded, with or without optional values", async () => {
      const full = attempt({
        organizationId: newId(day(0)),
        keyId: newId(day(0)),
        buildId: newId(day(0)),
        cause: "no licence for the family",
        bytes: Number.MAX_SAFE_INTEGER,
        userAgent: "ünï 'quoted' 🚀 \\ %",
        created: new Date("2027-03-04T05:06:07.089Z"),
        open: true,
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

    it("leaves no attempt behind after a probe", async () => {
      const before = await opened.store.attempts.list({ limit: 10_000 });
      await Promise.all([opened.store.attempts.probe(), opened.store.attempts.probe()]);
      expect(await opened.store.attempts.list({ limit: 10_000 })).toEqual(before);
    });

    it("counts granted downloads and their bytes in a period for limits", async () => {
      const organizationId = newId(day(0));
      const at = (time: string, but: Partial<Attempt> = {}) =>
        attemptAt(new Date(time), { organizationId, outcome: "ok", httpStatus: 302, bytes: 1e12, ...but });
      await opened.store.attempts.append([
        at("2027-03-01T23:59:59.999Z"),
        at("2027-03-02T00:00:00.000Z"),
        at("2027-03-02T23:59:59.999Z", { httpStatus: 200, patch: true, bytes: 5 }),
        at("2027-03-02T12:00:00Z", { httpStatus: 206, sentBytes: 7 }),
        at("2027-03-02T12:00:00Z", { httpStatus: 304, sentBytes: 0 }),
        at("2027-03-02T12:00:00Z", { sample: true }),
        at("2027-03-02T12:00:00Z", { outcome: "unavailable", httpStatus: 429, bytes: null }),
        at("2027-03-02T12:00:00Z", { organizationId: newId(day(0)) }),
        at("2027-03-03T00:00:00Z"),
      ]);
      const from = (start: string, end: string) =>
        opened.store.attempts.consumption(organizationId, new Date(start), new Date(end));
      expect(await from("2027-03-02", "2027-03-03")).toEqual({ downloads: 2, bytes: 1e12 + 5 + 7 });
      expect(await from("2027-03-01", "2027-04-01")).toEqual({ downloads: 4, bytes: 3e12 + 5 + 7 });
      expect(await from("2027-04-01", "2027-05-01")).toEqual({ downloads: 0, bytes: 0 });
    });

    it("finds a download of the same file that counted for limits", async () => {
      const file = { organizationId: newId(day(0)), format: "mmdb", buildId: "b1", patch: false };
      const add = (but: Partial<Attempt>) =>
        opened.store.attempts.append([attemptAt(day(5), { ...file, outcome: "ok", httpStatus: 200, ...but })]);
      const isFound = (since = day(5)) => opened.store.attempts.hasDownload(file, since);
      await add({ organizationId: newId(day(0)) });
      await add({ format: "csvgz" });
      await add({ buildId: "b2" });
      await add({ patch: true });
      await add({ sample: true });
      await add({ httpStatus: 206 });
      await add({ outcome: "unavailable", httpStatus: 503 });
      expect(await isFound()).toBe(false);
      await add({ httpStatus: 206, beginsDownload: true });
      expect([await isFound(), await isFound(day(6))]).toEqual([true, false]);
      await add({ httpStatus: 302, created: day(7), id: newId(day(7)) });
      expect(await isFound(day(6))).toBe(true);
    });

    it("stores attempts with NUL characters in what was requested", async () => {
      const [odd] = attemptsOf(1, { datasetId: "vpn\0ip", format: "\0", userAgent: "a\0b" }) as [Attempt];
      await opened.store.attempts.append([odd]);
      const [kept] = await listed([odd]);
      expect(kept?.id).toBe(odd.id);
      expect(kept?.datasetId).toMatch(/^vpn.ip$/);
    });

    it("shows an appended attempt to other connections immediately", async () => {
      const own = attemptsOf(1);
      await opened.store.attempts.append(own);
      const other = await openStore(opened.address);
      expect(await other.attempts.list({ organizationId: String(own[0]?.organizationId), limit: 9 })).toEqual(own);
      await other.close();
    });

    it("leaves attempts that are already stored unchanged, also within a larger group", async () => {
      const own = attemptsOf(3);
      await opened.store.attempts.append(own.slice(0, 2));
      await opened.store.attempts.append(own.map((each) => ({ ...each, outcome: "denied", bytes: null })));
      const [first, second, third] = await listed(own).then((rows) => rows.reverse());
      expect([first, second]).toEqual(own.slice(0, 2));
      expect(third).toEqual({ ...own[2], outcome: "denied", bytes: null });
    });

    it("appends an empty group, and a group that contains an attempt twice", async () => {
      const [own] = attemptsOf(1) as [Attempt];
      await opened.store.attempts.append([]);
      await opened.store.attempts.append([own, { ...own, format: "csvgz" }]);
      expect(await listed([own])).toEqual([own]);
    });

    it("appends 2,500 attempts in one call and pages through them without repeat or gap", async () => {
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

    it("does not shift later pages when attempts arrive in between", async () => {
      const own = attemptsOf(4);
      const [one, two, three, four] = own as [Attempt, Attempt, Attempt, Attempt];
      await opened.store.attempts.append([one, two, three]);
      expect(await listed(own, { limit: 2 })).toEqual([three, two]);
      await opened.store.attempts.append([four]);
      expect(await listed(own, { limit: 2, before: two.id })).toEqual([one]);
    });

    it("shows every process the attempts of all of them", async () => {
      const organizationId = newId(day(0));
      const listed = await runReplicas(opened.address, 3, "attempt", "300", organizationId, "900");
      const own = await opened.store.attempts.list({ organizationId, limit: 1000 });
      expect(own).toHaveLength(900);
      for (const each of listed) expect(each).toEqual(own.map(({ id }) => id));
    });

    it("filters by each property, and by all of them together", async () => {
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

    it("counts attempts and bytes per day in UTC, for what the filter matches", async () => {
      const organizationId = newId(day(0));
      const keyId = newId(day(0));
      const own = { organizationId, keyId };
      const beforeMidnight = new Date(day(1).getTime() - 1);
      const refusal = { ...own, outcome: "denied", bytes: null } as const;
      await opened.store.attempts.append([
        attemptAt(day(0), { ...own, bytes: 3e12 }),
        attemptAt(beforeMidnight, { ...own, bytes: 4 }),
        attemptAt(day(0), refusal),
        attemptAt(day(1), { ...refusal, outcome: "unknown", keyId: newId(day(0)) }),
        attemptAt(day(3), { ...own, bytes: 5, datasetId: "other_v1" }),
        attemptAt(day(0), { organizationId: newId(day(0)), bytes: 6 }),
      ]);
      const { attempts } = opened.store;
      const [first, second, last] = [
        { date: "2027-01-01", ok: 2, refused: 1, bytes: 3e12 + 4 },
        { date: "2027-01-02", ok: 0, refused: 1, bytes: 0 },
        { date: "2027-01-04", ok: 1, refused: 0, bytes: 5 },
      ];
      expect(await attempts.countsByDay({ organizationId })).toEqual([first, second, last]);
      expect(await attempts.countsByDay({ organizationId, since: day(0), until: day(3) })).toEqual([first, second]);
      expect(await attempts.countsByDay({ organizationId, since: day(1), until: day(4) })).toEqual([second, last]);
      expect(await attempts.countsByDay({ organizationId, until: beforeMidnight })).toEqual([
        { ...first, ok: 1, bytes: 3e12 },
      ]);
      expect(await attempts.countsByDay({ organizationId, keyId })).toEqual([first, last]);
      expect(await attempts.countsByDay({ organizationId, datasetId: "other_v1" })).toEqual([last]);
      expect(await attempts.countsByDay({ organizationId: newId(day(0)) })).toEqual([]);
    });

    it("removes attempts from before a given time, the oldest first, up to a limit", async () => {
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
