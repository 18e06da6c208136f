import { EVENTS } from "@dbdepot/contract/v2/events";
import { Check } from "typebox/value";
import { beforeEach, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import type { Event } from "../../../src/domain/events/event.ts";
import { eventToWire } from "../../../src/domain/events/wire.ts";
import { createKey, revokeKey, updateKey } from "../../../src/domain/keys/keys.ts";
import { endLicence, grantLicence, renewLicence } from "../../../src/domain/licences/licences.ts";
import { announceEnds } from "../../../src/domain/reminders/reminders.ts";
import { storedOrganization, storedVersion } from "../../adapters/sql/samples.ts";
import { day } from "../licences/terms.ts";
import { operatorOn } from "../organizations/operator.ts";

const second = (date: Date, seconds: number) => new Date(date.getTime() + seconds * 1000);

for (const engine of eitherEngine()) {
  describe(`reminders on ${engine.name}`, () => {
    const { opened, operation } = operatorOn(engine);
    let organizationId: string;
    let base: string;
    beforeEach(async () => {
      organizationId = (await storedOrganization(opened.store)).id;
      base = (await storedVersion(opened.store)).base;
    });

    function grant(from: number, to: number | null, granted = from) {
      const term = { starts: day(from), expires: to === null ? null : day(to) };
      return grantLicence(operation(day(granted)), {
        organization: organizationId,
        base,
        redistribution: "internal",
        ...term,
      });
    }

    function newKey(created: number, expires: number, owner: string | null = organizationId) {
      const scopes = owner === null ? ["operator.read"] : ["db.download"];
      const request = { organizationId: owner, name: "ci", scopes, cidrs: [], expires: day(expires) };
      return createKey(operation(day(created)), request);
    }

    /** The events that are announced at a time. */
    async function announcedAt(now: Date, store = opened.store): Promise<Event[]> {
      const last = await opened.store.events.latest();
      const count = await announceEnds(store, now);
      const events = await opened.store.events.after(last, 100);
      expect(events).toHaveLength(count);
      for (const event of events) {
        expect(event).toMatchObject({ organizationId, created: now });
        expect(Check(EVENTS[event.type], eventToWire(event))).toBe(true);
      }
      return events;
    }

    const typesAt = async (now: Date) =>
      (await announcedAt(now)).map(({ type, data }) => ("days_left" in data ? `${type} ${data.days_left}` : type));

    it("announce a licence 60, 30 and 7 days before its end, and when it has ended, each once", async () => {
      const { id } = await grant(1000, 1100);
      expect(await typesAt(second(day(1040), -1))).toEqual([]);
      expect(await typesAt(day(1040))).toEqual(["licence.ending 60"]);
      expect(await typesAt(second(day(1070), -1))).toEqual([]);
      const [first] = await announcedAt(day(1070));
      expect(first).toMatchObject({
        type: "licence.ending",
        base,
        data: { id, base, starts: day(1000).toISOString(), expires: day(1100).toISOString(), days_left: 30 },
      });
      expect(await typesAt(second(day(1070), 1))).toEqual([]);
      expect(await typesAt(day(1072))).toEqual([]);
      expect(await typesAt(second(day(1093), -1))).toEqual([]);
      expect(await typesAt(second(day(1093), 1))).toEqual(["licence.ending 7"]);
      expect(await typesAt(day(1094))).toEqual([]);
      expect(await typesAt(second(day(1100), -1))).toEqual([]);
      expect(await typesAt(day(1100))).toEqual(["licence.ended"]);
      expect(await typesAt(day(1101))).toEqual([]);
    });

    it("make no change if nothing is due", async () => {
      await grant(1200, 1300);
      await announcedAt(day(1270));
      const revision = await opened.store.revision();
      expect(await announceEnds(opened.store, day(1271))).toBe(0);
      expect(await opened.store.revision()).toBe(revision);
    });

    it("are sent up to three days late, but not for what is long past", async () => {
      await grant(1400, 1500);
      expect(await typesAt(second(day(1473), -1))).toEqual(["licence.ending 30"]);
      expect(await typesAt(day(1496))).toEqual([]);
      expect(await typesAt(day(1503))).toEqual([]);
      await grant(1400, 1500);
      expect(await typesAt(second(day(1503), -1))).toEqual(["licence.ended", "licence.ended"]);
    });

    it("are not sent for a licence that was renewed, until its new end", async () => {
      const { id } = await grant(1600, 1700);
      await renewLicence(operation(day(1660)), id, { expires: day(1800) });
      expect(await typesAt(day(1670))).toEqual([]);
      expect(await typesAt(day(1700))).toEqual([]);
      expect(await typesAt(day(1770))).toEqual(["licence.ending 30"]);
      await renewLicence(operation(day(1771)), id, { expires: day(1802) });
      expect(await typesAt(day(1772))).toEqual(["licence.ending 30"]);
      await renewLicence(operation(day(1773)), id, { expires: null });
      expect(await typesAt(day(1793))).toEqual([]);
    });

    it("are not sent before the end of a licence that another one continues", async () => {
      await grant(1900, 2000);
      const { id } = await grant(2000, 2200, 1901);
      expect(await typesAt(day(1970))).toEqual([]);
      await endLicence(operation(day(1971)), id);
      expect(await typesAt(day(1972))).toEqual(["licence.ending 30"]);
    });

    it("are not sent for licences that were already closer to their end when they began", async () => {
      await grant(2300, 2329);
      await grant(2290, 2329, 2301);
      expect(await typesAt(day(2301))).toEqual([]);
      expect(await typesAt(day(2322))).toEqual(["licence.ending 7", "licence.ending 7"]);
    });

    it("do not repeat that an operator has ended a licence", async () => {
      const { id } = await grant(2400, 2500);
      await endLicence(operation(day(2410)), id);
      expect(await typesAt(second(day(2410), 60))).toEqual([]);
      const upcoming = await grant(2450, 2500, 2411);
      await endLicence(operation(day(2411)), upcoming.id);
      expect(await typesAt(day(2450))).toEqual([]);
    });

    it("announce a key 7 days before it expires, unless it was revoked, changed or made for a shorter time", async () => {
      const { key } = await newKey(2600, 2700);
      const revoked = (await newKey(2600, 2700)).key;
      const extended = (await newKey(2600, 2700)).key;
      await newKey(2694, 2700);
      await newKey(2600, 2700, null);
      await revokeKey(operation(day(2601)), revoked.id);
      await updateKey(operation(day(2602)), extended.id, { expires: day(2800) });
      expect(await typesAt(second(day(2693), -1))).toEqual([]);
      const events = await announcedAt(day(2695));
      const data = { id: key.id, name: "ci", key_prefix: key.prefix, expires: day(2700).toISOString(), days_left: 7 };
      expect(events).toEqual([expect.objectContaining({ type: "key.expiring", base: null, data })]);
      expect(await typesAt(day(2695))).toEqual([]);
      expect(await typesAt(day(2793))).toEqual(["key.expiring 7"]);
    });

    it("are announced once by several replicas at the same time, and not again after a restart", async () => {
      for (let i = 0; i < 5; i += 1) await grant(2900, 3000);
      const last = await opened.store.events.latest();
      const replicas = [await openStore(opened.address), await openStore(opened.address)];
      const counts = await Promise.all(
        [...replicas, ...replicas, opened.store].map((store) => announceEnds(store, day(3000))),
      );
      expect(counts.toSorted()).toEqual([0, 0, 0, 0, 5]);
      for (const replica of replicas) await replica.close();
      const restarted = await openStore(opened.address);
      expect(await announceEnds(restarted, second(day(3000), 1))).toBe(0);
      await restarted.close();
      expect(await opened.store.events.after(last, 100)).toHaveLength(5);
    });
  });
}
