import { describe, expect, it } from "vitest";
import { Random } from "../../../../../rigs/harness/random.ts";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Attempt } from "../../../src/domain/downloads/attempt.ts";
import { removeOldAttempts } from "../../../src/domain/downloads/retention.ts";
import { usageFilter } from "../../../src/domain/usage/report.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { attemptAt, family, storedOrganization, version } from "../../adapters/sql/samples.ts";
import { generateMonth } from "./month.ts";
import { referenceTotals } from "./reference.ts";
import { monthTotals, storedTotals, sumsOf } from "./stored.ts";

const HOUR_MS = 3_600_000;
const LATER = new Date("2027-03-01T12:00:00Z");

for (const engine of engines) {
  describe(`usage totals on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    function update(now: Date, by = "a server"): Promise<boolean> {
      return updateUsage({ usage: opened.store.usage, clock: () => now, by });
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
  });
}
