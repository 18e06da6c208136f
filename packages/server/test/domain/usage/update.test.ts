import { describe, expect, it } from "vitest";
import { Random } from "../../../../../rigs/harness/random.ts";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Attempt } from "../../../src/domain/downloads/attempt.ts";
import { removeOldAttempts } from "../../../src/domain/retention/attempts.ts";
import { usageFilter } from "../../../src/domain/usage/report.ts";
import type { UsageWindow } from "../../../src/domain/usage/store.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { HOUR_MS } from "../../../src/platform/primitives/dates.ts";
import { attemptAt, family, storedOrganization, storedVersion, version } from "../../adapters/sql/samples.ts";
import { generateMonth } from "./month.ts";
import { referenceTotals } from "./reference.ts";
import { monthTotals, storedTotals, sumsOf } from "./stored.ts";

const LATER = new Date("2027-03-01T12:00:00Z");

for (const engine of engines) {
  describe(`usage totals on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    function update(now: Date, by = "a server"): Promise<boolean> {
      return updateUsage({ usage: opened.store.usage, clock: () => now, by });
    }

    /** Before the first attempt there is nothing to count. Returns its organization. */
    async function addAttempt(created: Date): Promise<string> {
      const { id: organizationId } = await storedOrganization(opened.store);
      await opened.store.attempts.append([attemptAt(created, { organizationId, outcome: "denied" })]);
      return organizationId;
    }

    it("equal the sum of the history for a generated month, and never change once the month is closed", async () => {
      const { store } = opened;
      const seed = Math.floor(Math.random() * 2 ** 32);
      const random = new Random(seed);
      const month = await generateMonth(store, seed, 400);
      let next = new Date(0);
      let waiting: Attempt[] = [];
      for (const { time, attempts } of month.arrivals) {
        if (time >= next) {
          await store.attempts.append(waiting);
          waiting = [];
          await update(time);
          // Sometimes within the hour, sometimes after days.
          next = new Date(time.getTime() + random.next() ** 3 * 100 * HOUR_MS);
        }
        waiting.push(...attempts);
      }
      await store.attempts.append(waiting);
      await update(LATER);
      const arrived = month.arrivals.flatMap(({ attempts }) => attempts);
      const expected = referenceTotals(arrived, month.databases);
      expect(await storedTotals(opened, month.organizationIds), `seed ${seed}`).toEqual(expected);
      expect(await monthTotals(opened, month.organizationIds), `seed ${seed}`).toEqual(sumsOf(expected));

      const [organizationId = ""] = month.organizationIds;
      const late = { organizationId, datasetId: month.databases[0] ?? "", buildId: "a late build" };
      await store.attempts.append([attemptAt(new Date("2027-01-31T23:00:00Z"), late)]);
      await update(new Date(LATER.getTime() + 2 * HOUR_MS));
      expect(await storedTotals(opened, month.organizationIds)).toEqual(expected);

      expect(await removeOldAttempts(store, 1, LATER)).toBeGreaterThan(300);
      await update(new Date(LATER.getTime() + 4 * HOUR_MS));
      expect(await storedTotals(opened, month.organizationIds)).toEqual(expected);
    });

    it("count an attempt that arrives within three days of its day's end, but not later", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const refused = async () => {
        const filter = usageFilter({ from: "2027-04-01", to: "2027-05-01" }, organizationId, LATER);
        return (await opened.store.usage.totals(filter, undefined)).refused;
      };
      const late = () => [attemptAt(new Date("2027-04-10T23:59:59Z"), { organizationId, outcome: "denied" })];
      await update(new Date("2027-04-11T00:00:00Z"));
      await opened.store.attempts.append(late());
      await update(new Date("2027-04-13T22:00:00Z"));
      expect(await refused()).toBe(1);
      await opened.store.attempts.append(late());
      await update(new Date("2027-04-14T00:00:00Z"));
      expect(await refused()).toBe(2);
      await opened.store.attempts.append(late());
      await update(new Date("2027-04-14T01:00:00Z"));
      expect(await refused()).toBe(2);
      expect((await opened.store.usage.progress()).finalUntil).toBe("2027-04-11");
    });

    it("name private databases only to organizations that have a licence", async () => {
      const { store } = opened;
      const secret = family({ visibility: "private" });
      const of = version(secret.base);
      await store.change(async ({ families, versions }) => {
        await families.insert(secret);
        await versions.insert(of);
      });
      const { id: organizationId } = await storedOrganization(store);
      const created = new Date("2027-05-02T12:00:00Z");
      await store.attempts.append([attemptAt(created, { organizationId, datasetId: of.id, outcome: "unauthorized" })]);
      await update(new Date("2027-05-02T13:00:00Z"));
      const named = async () => [...(await storedTotals(opened, [organizationId])).keys()];
      expect(await named()).toEqual([`${organizationId} 2027-05-02  `]);
      await store.attempts.append([attemptAt(created, { organizationId, datasetId: of.id, buildId: "granted" })]);
      await update(new Date("2027-05-02T14:00:00Z"));
      expect(await named()).toContain(`${organizationId} 2027-05-02 ${of.id} mmdb`);
    });

    it("are updated by one server at a time, at most once a minute, and by another one after a crash", async () => {
      const { usage } = opened.store;
      await addAttempt(new Date("2027-06-01T00:00:00Z"));
      const at = (seconds: number) => new Date(Date.UTC(2027, 5, 1, 0, 0, seconds));
      expect(await update(at(0))).toBe(true);
      expect(await update(at(59), "another")).toBe(false);
      const until = (seconds: number) => ({ by: "crashed", until: at(seconds) });
      const nothing = { put: { days: [], firsts: [] }, remove: { days: [], firsts: [] } };
      // The rest after an update grows with its duration.
      expect(await usage.claim(until(1000), at(940))).toBeDefined();
      expect(await usage.write(until(1000), nothing)).toBe(true);
      expect(await update(at(999), "another")).toBe(false);
      expect(await update(at(1000), "another")).toBe(true);
      expect(await usage.write(until(2000), nothing)).toBe(false);
      expect(await usage.close(until(2000), "2027-06-02")).toBe(false);
    });

    it("are left to the other server by one that was too slow and lost its claim", async () => {
      const { usage } = opened.store;
      await addAttempt(new Date("2027-07-20T00:00:00Z"));
      const minute = (minutes: number) => new Date(Date.UTC(2027, 6, 20, 12, minutes));
      // The next update of the hour only counts today.
      expect(await update(minute(0))).toBe(true);
      const other = { by: "the other server", until: minute(50) };
      const before = await usage.progress();
      let counts = 0;
      const slow = {
        ...usage,
        async count(window: UsageWindow) {
          counts += 1;
          expect(await usage.claim(other, minute(40))).toBeDefined();
          return usage.count(window);
        },
      };
      expect(await updateUsage({ usage: slow, clock: () => minute(20), by: "slow" })).toBe(false);
      expect([counts, await usage.progress()]).toEqual([1, before]);
      expect(await usage.close(other, before.finalUntil ?? "")).toBe(true);
      await usage.finish(other.by, minute(40), minute(50));
    });

    it("are stored again if a single number has changed", async () => {
      const { attempts, usage } = opened.store;
      const { id: organizationId } = await storedOrganization(opened.store);
      const of = await storedVersion(opened.store);
      const at = (minutes: number) => new Date(Date.UTC(2027, 6, 25, 12, minutes));
      const add = async (but: Partial<Attempt>) => {
        const added = attemptAt(at(0), { organizationId, datasetId: of.id, buildId: "a build", bytes: 0, ...but });
        await attempts.append([added]);
        return added.id;
      };
      const numbers = async (minutes: number) => {
        expect(await update(at(minutes))).toBe(true);
        const [totals] = (await storedTotals(opened, [organizationId])).values();
        return totals && [totals.firstDownloads, totals.repeats, totals.refused, totals.bytes];
      };
      const id = await add({});
      expect(await numbers(2)).toEqual([1, 0, 0, 0]);
      await add({});
      expect(await numbers(12)).toEqual([1, 1, 0, 0]);
      await add({ outcome: "denied", buildId: null });
      expect(await numbers(22)).toEqual([1, 1, 1, 0]);
      await attempts.setSentBytes([[id, 7]]);
      expect(await numbers(32)).toEqual([1, 1, 1, 7]);
      expect((await usage.progress()).updated).toEqual(at(32));
    });

    it("keep the first downloads of days after those that are counted", async () => {
      const { usage } = opened.store;
      const now = new Date("2027-08-01T12:00:00Z");
      const organizationId = await addAttempt(now);
      expect(await update(now)).toBe(true);
      // Counted by a server whose clock is ahead.
      const first = { organizationId, datasetId: "vpn_ip_v1", format: "mmdb", buildId: "a build", day: "2027-08-09" };
      const ahead = { by: "ahead", until: new Date("2027-08-01T14:00:00Z") };
      expect(await usage.claim(ahead, new Date("2027-08-01T13:00:00Z"))).toBeDefined();
      await usage.write(ahead, { put: { days: [], firsts: [first] }, remove: { days: [], firsts: [] } });
      expect(await update(new Date("2027-08-01T15:00:00Z"))).toBe(true);
      const window = { organizationIds: [organizationId], from: "2027-08-01", to: "2027-08-02" };
      expect((await usage.stored(window)).firsts).toEqual([first]);
    });
  });
}
