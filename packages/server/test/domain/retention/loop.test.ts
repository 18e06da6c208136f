import { describe, expect, it } from "vitest";
import { eitherEngine, type OpenedStore, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import type { Action } from "../../../src/domain/audit/entry.ts";
import type { ObjectStore } from "../../../src/domain/builds/object-store.ts";
import { previewRetention, startRetention } from "../../../src/domain/retention/loop.ts";
import type { RetentionPolicy } from "../../../src/domain/retention/rules.ts";
import { retentionRules } from "../../../src/domain/retention/rules.ts";
import type { Store } from "../../../src/domain/store.ts";
import { firstIdOf } from "../../../src/platform/primitives/ids.ts";
import { parseSettings } from "../../../src/settings/settings.ts";
import { attemptAt, event } from "../../adapters/sql/samples.ts";
import { day } from "../licences/terms.ts";

const DEFAULTS = parseSettings({}).retention;
const NOW = day(1000);
/** No build is removed here. */
const objects = {} as ObjectStore;

/** Sweeps once, as a server does when it starts, and returns how much each rule removed. */
async function sweep(store: Store, policy: RetentionPolicy, now = NOW): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  const loop = startRetention({
    store,
    objects,
    policy,
    clock: () => now,
    onRemoved: (kind, count) => Object.assign(removed, { [kind]: count }),
    onFailure: (kind, error) => expect.unreachable(`${kind}: ${error}`),
  });
  await loop.finished();
  await loop.stop();
  return removed;
}

/** Makes the usage of all days final: before that, attempts and their addresses stay. */
async function closeUsage({ usage }: Store): Promise<void> {
  const claim = { by: "the test", until: NOW };
  await usage.claim(claim, NOW);
  await usage.close(claim, "2100-01-01");
}

async function addEntry(store: Store, created: Date, action: Action, after: object): Promise<void> {
  const id = firstIdOf(created).slice(0, 24) + Math.random().toString(16).slice(2, 14).padEnd(12, "0");
  const entry = { id, actor: "service", action, subject: "x", before: null, after, created };
  await store.change((tables) => tables.audit.insert(entry));
}

async function preview({ store }: OpenedStore, policy: RetentionPolicy, kind: string) {
  return (await previewRetention({ store, policy, now: NOW })).find((rule) => rule.kind === kind);
}

for (const engine of eitherEngine()) {
  describe(`retention on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("keeps events for 30 days by default, and everything else forever", async () => {
      const { store } = opened;
      const [old, kept] = [event({ created: day(969) }), event({ created: day(970) })];
      await store.change(async (tables) => {
        for (const each of [old, kept]) await tables.events.insert(each);
      });
      await store.attempts.append([attemptAt(day(1))]);
      await addEntry(store, day(1), "account.signed_in", { address: "192.0.2.1" });
      expect(await preview(opened, DEFAULTS, "events")).toMatchObject({
        settings: ["DBDEPOT_EVENT_RETENTION_DAYS"],
        rule: "Events are deleted after 30 days.",
        on: true,
        count: 1,
        oldest: day(969).toISOString(),
      });
      expect(await preview(opened, DEFAULTS, "audit")).toMatchObject({
        on: false,
        count: 0,
        rule: "Everything is kept.",
      });
      expect(await sweep(store, DEFAULTS)).toEqual({ events: 1 });
      expect(await store.events.byId(old.id)).toBeUndefined();
      expect(await store.events.byId(kept.id)).toBeDefined();
      expect(await sweep(store, { ...DEFAULTS, eventDays: 0 }, day(5000))).toEqual({});
    });

    it("deletes what the settings say, on several servers at once", async () => {
      const { store } = opened;
      expect(await preview(opened, { ...DEFAULTS, historyDays: 100 }, "history")).toMatchObject({ count: 0 });
      await closeUsage(store);
      const before = (await preview(opened, { ...DEFAULTS, historyDays: 100 }, "history"))?.count ?? 0;
      await store.attempts.append([attemptAt(day(899)), attemptAt(day(901))]);
      await addEntry(store, day(799), "key.created", {});
      await addEntry(store, day(801), "key.created", {});
      const policy = { ...DEFAULTS, historyDays: 100, auditDays: 200 };
      expect(await preview(opened, policy, "history")).toMatchObject({ count: before + 1, bytes: expect.any(Number) });
      const replica = await openStore(opened.address);
      const [one, two] = await Promise.all([sweep(store, policy), sweep(replica, policy)]);
      await replica.close();
      expect((one.history ?? 0) + (two.history ?? 0)).toBe(before + 1);
      expect((await store.attempts.list({ limit: 10 })).map(({ created }) => created)).toEqual([day(901)]);
      expect((await store.audit.list({ limit: 10 })).map(({ created }) => created)).toEqual([day(801)]);
    });

    it("removes addresses earlier than the rows", async () => {
      const { store } = opened;
      const policy = { ...DEFAULTS, addressDays: 50 };
      await closeUsage(store);
      await sweep(store, policy);
      const [older, newer] = [attemptAt(day(949)), attemptAt(day(951))];
      await store.attempts.append([older, newer]);
      const after = { method: "password", address: "192.0.2.1", userAgent: "" };
      await addEntry(store, day(949), "account.signed_in", after);
      await addEntry(store, day(951), "account.signed_in", after);
      expect(await preview(opened, policy, "addresses")).toMatchObject({ count: 2 });
      expect(await sweep(store, policy)).toEqual({ addresses: 2 });
      expect(await preview(opened, policy, "addresses")).toMatchObject({ count: 0, oldest: null });
      for (const [{ id }, address, userAgent] of [
        [older, null, null],
        [newer, "192.0.2.7", "curl/8"],
      ] as const) {
        const [attempt] = await store.attempts.list({ id, limit: 1 });
        expect([attempt?.clientIp, attempt?.userAgent]).toEqual([address, userAgent]);
      }
      const entries = await store.audit.list({ action: "account.signed_in", limit: 2 });
      expect(entries.map((entry) => entry.after)).toEqual([
        after,
        { method: "password", address: null, userAgent: null },
      ]);
    });

    it("removes the addresses of attempts that arrive late, although it has been past their time", async () => {
      const { store } = opened;
      const policy = { ...DEFAULTS, addressDays: 50 };
      await closeUsage(store);
      const { apply } = retentionRules().find(({ kind }) => kind === "addresses") ?? expect.unreachable();
      const removed = () => apply({ store, objects, policy, now: NOW }, new AbortController().signal);
      await store.attempts.append([attemptAt(day(949.9))]);
      expect([await removed(), await removed()]).toEqual([1, 0]);
      // Spooled for six days while the database was unreachable.
      await store.attempts.append([attemptAt(day(944))]);
      expect([await removed(), await removed()]).toEqual([1, 0]);
    });

    it("reports a rule that fails and goes on", async () => {
      const { store, dispose } = await engine.openEmpty();
      const failed: string[] = [];
      const loop = startRetention({
        store,
        objects,
        policy: { ...DEFAULTS, auditDays: 1 },
        clock: () => NOW,
        onRemoved: () => {},
        onFailure: (kind) => failed.push(kind),
      });
      await loop.finished();
      await loop.stop();
      await dispose();
      expect(failed).toEqual(["sessions", "events", "deliveries", "audit"]);
    });
  });
}
