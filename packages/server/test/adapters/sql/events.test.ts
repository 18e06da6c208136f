import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Event } from "../../../src/domain/events/event.ts";
import { day } from "../../domain/licences/terms.ts";
import { runReplicas } from "./replicas.ts";
import { event, storedOrganization, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`EventStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    async function announced(...events: Omit<Event, "revision">[]): Promise<Event[]> {
      await opened.store.change(async (tables) => {
        for (const each of events) await tables.events.insert(each);
      });
      const revision = await opened.store.revision();
      return events.map((each) => ({ ...each, revision }));
    }

    /** Every event, read in small pages. */
    async function readAll(): Promise<Event[]> {
      const all: Event[] = [];
      for (;;) {
        const page = await opened.store.events.after(all.at(-1), 7);
        if (page.length === 0) return all;
        all.push(...page);
      }
    }

    it("returns events as they were inserted", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const { base } = await storedVersion(opened.store);
      const data = { name: "Ünïcode ’ 😀", entries: 2 ** 40, expires: null };
      const [full, empty] = await announced(
        event({ type: "licence.granted", organizationId, base, data, created: new Date("2027-03-04T05:06:07.089Z") }),
        event({ data: {} }),
      );
      expect(await opened.store.events.byId(full?.id ?? "")).toEqual(full);
      expect(await opened.store.events.byId(empty?.id ?? "")).toEqual(empty);
      expect(await opened.store.events.byId("nothing")).toBeUndefined();
    });

    it("orders events by revision and then by id, whatever the order of their ids and times", async () => {
      const last = await opened.store.events.latest();
      const [second] = await announced(event({ id: "f0000000-0000-4000-8000-000000000000", created: day(9) }));
      const [fourth, third] = await announced(
        event({ id: "30000000-0000-4000-8000-000000000000", created: day(3) }),
        event({ id: "20000000-0000-4000-8000-000000000000", created: day(4) }),
      );
      const { after, latest } = opened.store.events;
      expect(await after(last, 10)).toEqual([second, third, fourth]);
      expect(await after(last, 2)).toEqual([second, third]);
      expect(second && (await after(second, 10))).toEqual([third, fourth]);
      expect(third && (await after(third, 10))).toEqual([fourth]);
      expect(fourth && (await after(fourth, 10))).toEqual([]);
      expect(await latest()).toEqual({ revision: fourth?.revision, id: fourth?.id });
      expect((await readAll()).slice(-3)).toEqual([second, third, fourth]);
    });

    it("never shows a reader an event before its position, while two replicas write", async () => {
      const read: Event[] = [];
      const start = await opened.store.events.latest();
      let isWriting = true;
      const writing = runReplicas(opened.address, 2, "announce", "60").finally(() => {
        isWriting = false;
      });
      while (isWriting) read.push(...(await opened.store.events.after(read.at(-1) ?? start, 5)));
      const written = (await writing).flat();
      while (read.length < written.length) {
        const page = await opened.store.events.after(read.at(-1) ?? start, 100);
        if (page.length === 0) break;
        read.push(...page);
      }
      expect(read.map(({ id }) => id).sort()).toEqual(written.toSorted());
      expect(await opened.store.events.after(start, 1000)).toEqual(read);
    });

    it("is not written without a change, and not if the change fails", async () => {
      const before = await opened.dump();
      await expect(opened.store.events.insert(event())).rejects.toThrow("a change is written through Store.change");
      const failed = opened.store.change(async (tables) => {
        await tables.events.insert(event());
        throw new Error("no");
      });
      await expect(failed).rejects.toThrow("no");
      expect(await opened.dump()).toEqual(before);
    });

    it("removes old events, and readers continue behind them", async () => {
      const [old] = await announced(event({ created: day(100) }));
      const [kept] = await announced(event({ created: day(101) }));
      const { after, byId, removeBefore, amountBefore } = opened.store.events;
      const { count, oldest } = await amountBefore(day(101));
      expect(oldest && oldest <= day(100)).toBe(true);
      expect(await removeBefore(day(101), 1)).toBe(1);
      expect(await removeBefore(day(101), 1000)).toBe(count - 1);
      expect(await amountBefore(day(101))).toEqual({ count: 0, bytes: 0, oldest: null });
      expect(await after(undefined, 1000)).toEqual([kept]);
      expect(old && (await byId(old.id))).toBeUndefined();
      expect(old && (await after(old, 10))).toEqual([kept]);
    });
  });
}
