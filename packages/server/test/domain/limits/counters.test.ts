import { afterEach, describe, expect, it, vi } from "vitest";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import type { Event } from "../../../src/domain/events/event.ts";
import { type CountedDownload, LimitCounters, type LimitServices } from "../../../src/domain/limits/counters.ts";
import {
  add,
  dayPeriod,
  type Limits,
  monthPeriod,
  NO_LIMITS,
  retryAfterSeconds,
} from "../../../src/domain/limits/limits.ts";
import type { LimitStore, Reservation } from "../../../src/domain/limits/store.ts";
import { utcDayOf } from "../../../src/platform/primitives/dates.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";

/** A history that counts what is recorded, as the table does. */
class FakeHistory {
  readonly rows: { id?: string; at: Date; bytes: number }[] = [];
  readonly reservations = new Map<string, Reservation>();
  reserved = 0;
  readonly events = new Map<string, Omit<Event, "revision">>();
  reads = 0;
  changes = 0;
  isDown = false;
  /** Reads wait for this. */
  gate: Promise<void> = Promise.resolve();

  async consumption(_organizationId: string, since: Date, until: Date) {
    this.reads += 1;
    if (this.isDown) throw new Error("the database is down");
    const found = this.rows.filter(({ at }) => at >= since && at < until);
    await this.gate;
    return { downloads: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  readonly limits: LimitStore = {
    reserve: async (_, now, decide) => {
      if (this.isDown) throw new Error("the database is down");
      const ids = new Set(this.rows.map(({ id }) => id));
      for (const [id, { expires }] of this.reservations)
        if (ids.has(id) || expires <= now) this.reservations.delete(id);
      const sum = (ahead: boolean) => {
        const total = { downloads: 0, bytes: 0 };
        for (const each of this.reservations.values()) if (each.isAhead === ahead) add(total, each, 1);
        return total;
      };
      const [day, month] = [dayPeriod(now), monthPeriod(now)];
      const history = {
        downloads: this.rows.filter(({ at }) => at >= day.start && at < day.end).length,
        bytes: this.rows
          .filter(({ at }) => at >= month.start && at < month.end)
          .reduce((all, { bytes }) => all + bytes, 0),
      };
      const reservation = decide({ history, reserved: sum(false), ahead: sum(true) });
      if (!reservation) return;
      this.reserved += 1;
      this.reservations.set(reservation.id, reservation);
    },
    release: async (id) => void this.reservations.delete(id),
  };

  get store(): LimitServices["store"] {
    const events = {
      known: async (ids: readonly string[]) => new Set(ids.filter((id) => this.events.has(id))),
      insert: async (event: Omit<Event, "revision">) => void this.events.set(event.id, event),
    };
    const change = (work: (tables: unknown) => Promise<unknown>) => {
      this.changes += 1;
      return work({ events });
    };
    const usage = {
      bytesOf: async (_: string, { from, to }: { from: string; to: string }) =>
        this.rows
          .filter(({ at }) => utcDayOf(at) >= from && utcDayOf(at) < to)
          .reduce((sum, { bytes }) => sum + bytes, 0),
    };
    return { attempts: this, usage, limits: this.limits, events, change } as unknown as LimitServices["store"];
  }
}

const START = new Date("2027-03-10T00:00:00Z");

describe("LimitCounters", () => {
  const opened: LimitCounters[] = [];
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(opened.splice(0).map((counters) => counters.stop()));
  });

  function open(limits: Partial<Limits>, history = new FakeHistory(), clock = new TestClock(START)) {
    const failures: unknown[] = [];
    const counters = new LimitCounters({
      store: history.store,
      limitsOf: (id) => (id === "acme" ? { ...NO_LIMITS, ...limits } : undefined),
      clock: clock.now,
      onFailure: (error) => failures.push(error),
    });
    opened.push(counters);
    const claim = (bytes = 10, id = newId(clock.now())) =>
      counters.claim("acme", { id, use: { bytes, isDownload: true }, isStream: false }, clock.now());
    const record = async (id: string, bytes: number) => void history.rows.push({ id, at: clock.now(), bytes });
    /** Downloads as the handlers do. Returns why it was refused. */
    async function download(bytes = 10) {
      const id = newId(clock.now());
      using claimed = await claim(bytes, id);
      if (!claimed.refusal) await claimed.settle(302, record(id, bytes));
      return claimed.refusal;
    }
    return { counters, history, clock, failures, claim, record, download };
  }

  it("reads the history once, then counts in memory", async () => {
    const { history, clock, download } = open({ downloads_per_day: 4 });
    history.rows.push({ at: clock.now(), bytes: 1 }, { at: new Date(START.getTime() - 1), bytes: 1 });
    for (let i = 0; i < 3; i += 1) expect(await download()).toBeUndefined();
    const { reads } = history;
    expect(await download()).toBe("downloads_used_up");
    expect(history.reads).toBe(reads);
  });

  it("does nothing for organizations without limits, not even a promise", () => {
    const { counters, history, clock } = open({ downloads_per_day: 1 });
    const claimed = counters.claim(
      "beta",
      { id: "", use: { bytes: 10, isDownload: true }, isStream: true },
      clock.now(),
    );
    expect(claimed).not.toBeInstanceOf(Promise);
    expect([counters.size, counters.streamsOf("beta"), history.reads]).toEqual([0, 0, 0]);
  });

  it("never grants more than the limit, however many downloads arrive together", async () => {
    const { claim, record, counters } = open({ downloads_per_day: 7, bytes_per_month: 65 });
    const claims = await Promise.all(Array.from({ length: 40 }, (_, i) => claim(10, `${i}`)));
    expect(claims.filter(({ refusal }) => !refusal)).toHaveLength(6);
    // Half of them fail, so that others may follow, while the history is being read.
    const refreshing = counters.refresh();
    for (const [index, each] of claims.entries()) {
      if (each.refusal) continue;
      if (index % 2) await each.settle(302, record(`${index}`, 10));
      each[Symbol.dispose]();
    }
    await refreshing;
    await counters.refresh();
    const more = await Promise.all(Array.from({ length: 40 }, () => claim(10)));
    expect(more.filter(({ refusal }) => !refusal)).toHaveLength(3);
  });

  it("refuses a file that is larger than the remaining bytes of the month, and grants a smaller one", async () => {
    const { download } = open({ bytes_per_month: 100 });
    expect(await download(90)).toBeUndefined();
    expect(await download(11)).toBe("bytes_used_up");
    expect(await download(10)).toBeUndefined();
  });

  it("counts neither a failed download nor one that is not in the history", async () => {
    const { claim, download } = open({ downloads_per_day: 1 });
    const failing = async (settle: (claimed: CountedDownload) => Promise<void>) => {
      using claimed = await claim();
      expect(claimed.refusal).toBeUndefined();
      await settle(claimed);
    };
    await failing((claimed) => claimed.settle(503, Promise.resolve()));
    await expect(failing((claimed) => claimed.settle(302, Promise.reject(new Error("no disk"))))).rejects.toThrow();
    expect(await download()).toBeUndefined();
  });

  it.each([12, 1000])("grants exactly %d downloads that arrive at several processes together", async (allowed) => {
    const first = open({ downloads_per_day: allowed });
    const processes = [first, ...[2, 3].map(() => open({ downloads_per_day: allowed }, first.history, first.clock))];
    const burst = Array.from({ length: allowed }, () => processes.map(({ download }) => download())).flat();
    expect((await Promise.all(burst)).filter((refusal) => !refusal)).toHaveLength(allowed);
    expect(first.history.rows).toHaveLength(allowed);
    // 1 % at a time up to 90 %, then one at a time.
    if (allowed === 1000) expect(first.history.reserved).toBeLessThan(300);
  });

  it("keeps for a process what it has reserved ahead, while another one uses up the rest", async () => {
    const first = open({ downloads_per_day: 400 });
    const second = open({ downloads_per_day: 400 }, first.history, first.clock);
    const granted = (refusals: unknown[]) => refusals.filter((refusal) => !refusal).length;
    // This reserves three more downloads.
    await first.download();
    const used = granted(await Promise.all(Array.from({ length: 396 }, () => second.download())));
    const last = Array.from({ length: 10 }, () => second.download());
    const own = await Promise.all(Array.from({ length: 3 }, () => first.download()));
    await first.counters.stop();
    expect(1 + used + granted(own) + granted(await Promise.all(last))).toBe(400);
  });

  it("waits for what another process has reserved ahead and returns", async () => {
    const first = open({ downloads_per_day: 400 });
    const second = open({ downloads_per_day: 400 }, first.history, first.clock);
    await first.download();
    await Promise.all(Array.from({ length: 396 }, () => second.download()));
    const waiting = Promise.all(Array.from({ length: 4 }, () => second.download()));
    await first.counters.stop();
    expect(await waiting).toEqual([undefined, undefined, undefined, "downloads_used_up"]);
  });

  it("grants others what it has reserved ahead for downloads that were not granted", async () => {
    const { history, claim } = open({ downloads_per_day: 1000 });
    for (let i = 0; i < 20; i += 1) (await claim())[Symbol.dispose]();
    expect(history.reserved).toBe(1);
  });

  it("returns what it has reserved ahead, and what was not granted", async () => {
    const { counters, history, claim, download } = open({ downloads_per_day: 1000, parallel_streams: 1 });
    await download();
    expect([...history.reservations.values()]).toMatchObject([{ downloads: 10, isAhead: true }]);
    using _ = await counters.claim("acme", { id: "", use: undefined, isStream: true }, START);
    const streamed = { id: "stream", use: { bytes: 1, isDownload: true }, isStream: true };
    expect((await counters.claim("acme", streamed, START)).refusal).toBe("too_many_streams");
    (await claim())[Symbol.dispose]();
    await counters.stop();
    expect(history.reservations.size).toBe(0);
  });

  it("agrees with another process once both have read the history, and after a restart", async () => {
    const first = open({ downloads_per_day: 10 });
    const second = open({ downloads_per_day: 10 }, first.history, first.clock);
    for (let i = 0; i < 5; i += 1)
      expect([await first.download(), await second.download()]).toEqual([undefined, undefined]);
    await Promise.all([first.counters.refresh(), second.counters.refresh()]);
    expect([await first.download(), await second.download()]).toEqual(["downloads_used_up", "downloads_used_up"]);
    const restarted = open({ downloads_per_day: 10 }, first.history, first.clock);
    expect(await restarted.download()).toBe("downloads_used_up");
  });

  it("counts a download once that is recorded before, or after, the history is read", async () => {
    const { counters, history, claim, record } = open({ downloads_per_day: 3 });
    using first = await claim(10, "first");
    await first.settle(302, record("first", 10));
    const { promise, resolve } = Promise.withResolvers<void>();
    history.gate = promise;
    const refreshing = counters.refresh();
    using second = await claim(10, "second");
    await second.settle(302, record("second", 10));
    resolve();
    await refreshing;
    using third = await claim();
    using fourth = await claim();
    expect([third.refusal, fourth.refusal]).toEqual([undefined, "downloads_used_up"]);
  });

  it("starts again with the day and the month, in UTC", async () => {
    const { download, clock, counters } = open({ downloads_per_day: 2, bytes_per_month: 35 });
    expect([await download(), await download(), await download()]).toEqual([undefined, undefined, "downloads_used_up"]);
    clock.advance("86399 seconds");
    expect(await download()).toBe("downloads_used_up");
    clock.advance("1 seconds");
    expect([await download(), await download(5)]).toEqual([undefined, undefined]);
    clock.advance("1 days");
    expect(await download()).toBe("bytes_used_up");
    await counters.refresh();
    expect(await download()).toBe("bytes_used_up");
    expect(retryAfterSeconds("bytes_used_up", clock.now())).toBe(20 * 86_400);
    expect(retryAfterSeconds("downloads_used_up", clock.now())).toBe(86_400);
    while (clock.now().getUTCDate() !== 1) clock.advance("1 days");
    expect(await download()).toBeUndefined();
  });

  it("grants while the database is unreachable, up to what this process has granted", async () => {
    const history = new FakeHistory();
    const { download, clock, failures, counters } = open({ downloads_per_day: 2 }, history);
    history.rows.push({ at: clock.now(), bytes: 1 });
    history.isDown = true;
    expect([await download(), await download(), await download()]).toEqual([undefined, undefined, "downloads_used_up"]);
    await counters.refresh();
    expect(failures).toHaveLength(1);
    history.isDown = false;
    await counters.refresh();
    expect(await download()).toBe("downloads_used_up");
  });

  it("keeps the bytes of the month at midnight while the database is unreachable, but not those of the last month", async () => {
    const { history, clock, download } = open({ downloads_per_day: 2, bytes_per_month: 35 });
    expect([await download(), await download(15)]).toEqual([undefined, undefined]);
    history.isDown = true;
    clock.advance("1 days");
    expect([await download(11), await download(10)]).toEqual(["bytes_used_up", undefined]);
    while (clock.now().getUTCDate() !== 1) clock.advance("1 days");
    expect([await download(30), await download(6)]).toEqual([undefined, "bytes_used_up"]);
  });

  it("warns again if the event could not be stored", async () => {
    const { counters, history, failures, download } = open({ downloads_per_day: 5 });
    const insert = history.events.set.bind(history.events);
    history.events.set = () => expect.unreachable("the database is down");
    for (let i = 0; i < 4; i += 1) await download();
    await counters.stop();
    expect(failures.length).toBeGreaterThan(0);
    history.events.set = insert;
    await download();
    await counters.stop();
    expect([...history.events.values()]).toHaveLength(1);
  });

  it("forgets organizations that no longer download", async () => {
    const { counters, clock, download } = open({ downloads_per_day: 2 });
    await download();
    clock.advance("60 seconds");
    await counters.refresh();
    expect(counters.size).toBe(1);
    clock.advance("1 seconds");
    await counters.refresh();
    expect(counters.size).toBe(0);
    expect([await download(), await download()]).toEqual([undefined, "downloads_used_up"]);
  });

  it("limits streams until they end", async () => {
    const { counters, clock } = open({ parallel_streams: 2 });
    const stream = () => counters.claim("acme", { id: "", use: undefined, isStream: true }, clock.now());
    const first = await stream();
    const second = await stream();
    expect((await stream()).refusal).toBe("too_many_streams");
    (await stream())[Symbol.dispose]();
    expect(counters.streamsOf("acme")).toBe(2);
    first[Symbol.dispose]();
    using third = await stream();
    expect(third.refusal).toBeUndefined();
    second[Symbol.dispose]();
    expect(counters.streamsOf("acme")).toBe(1);
  });

  it("grants links while all streams are in use, and does not count them as streams", async () => {
    const { counters, clock, claim } = open({ parallel_streams: 1, downloads_per_day: 10 });
    using _ = await counters.claim("acme", { id: "", use: undefined, isStream: true }, clock.now());
    const link = await claim();
    expect([link.refusal, counters.streamsOf("acme")]).toEqual([undefined, 1]);
    link[Symbol.dispose]();
    expect(counters.streamsOf("acme")).toBe(1);
  });

  it("reads the history again every 10 seconds, and warns of what others have used, until it is stopped", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { counters, history, record, download } = open({ downloads_per_day: 10 });
    await download();
    for (let i = 0; i < 7; i += 1) await record(`other ${i}`, 10);
    vi.advanceTimersByTime(9_999);
    expect(history.reads).toBe(1);
    vi.advanceTimersByTime(1);
    await expect.poll(() => [...history.events.values()]).toMatchObject([{ data: { used: 8, allowed: 10 } }]);
    expect(history.reads).toBe(2);
    await counters.stop();
    vi.advanceTimersByTime(60_000);
    expect(history.reads).toBe(2);
  });

  it("warns once per limit, period and value of the limit at 80 %, across processes", async () => {
    const limits = { downloads_per_day: 5, bytes_per_month: 1000 };
    const first = open(limits);
    const second = open(limits, first.history, first.clock);
    const types = () =>
      [...first.history.events.values()].map(({ data }) => `${data.limit} ${data.used}/${data.allowed}`);
    for (let i = 0; i < 3; i += 1) await first.download();
    expect(types()).toEqual([]);
    await first.download();
    await second.download();
    await first.counters.stop();
    await second.counters.refresh();
    await second.counters.stop();
    expect(first.history.changes).toBe(1);
    expect(types()).toEqual(["downloads_per_day 4/5"]);
    first.clock.advance("1 days");
    await first.counters.refresh();
    await first.download(760);
    await first.counters.stop();
    expect(types()).toEqual(["downloads_per_day 4/5", "bytes_per_month 810/1000"]);
    limits.bytes_per_month = 1010;
    await first.download(10);
    await first.counters.stop();
    expect(types()).toHaveLength(3);
  });
});
