import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../src/downloads/attempt.ts";
import { day } from "../../licences/terms.ts";
import { type HistoryProcess, ORGANIZATIONS, openHistory } from "./history-process.ts";
import { nthAttemptAt, toValues } from "./plain-history.ts";

/** Every fourth of them is nobody's, and every other one comes from a spool, days late. */
function attempts(count: number, from = 0, but: Partial<Attempt> = {}): Attempt[] {
  return Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const organizationId = [...ORGANIZATIONS, null][n % 4] ?? null;
    return nthAttemptAt(day(n % 2 ? n : 500 - n), n, { organizationId, ...but });
  });
}

async function startedHistory() {
  const shared = await openHistory();
  return { ...shared, one: shared.start() };
}

describe("a history that is filed", () => {
  it("has the same pages before, after each step, and after it", async () => {
    const { one } = await startedHistory();
    one.expectPages();
    one.append(attempts(40));
    one.expectPages();
    const steps = one.workThrough(() => {
      one.expectPages();
      one.expectFiledTruly();
    });
    expect(steps).toBeGreaterThan(30 / 3);
    one.expectPages();
    one.expectAllFiled();
    expect(one.filed).toBe(30);
    expect(one.through).toBe(40);
  });

  it("has them also when nobody looks in between", async () => {
    const { one } = await startedHistory();
    one.append(attempts(40));
    one.workThrough();
    one.expectAllFiled();
    one.expectPages();
  });

  it("is left alone until the number is round, and then goes on by portions", async () => {
    const { one } = await startedHistory();
    one.append(attempts(9));
    expect(one.workThrough()).toBe(1);
    expect(one.filed).toBe(0);
    one.append(attempts(1, 9));
    const filed: number[] = [];
    one.workThrough(() => filed.push(one.filed));
    const each = [...filed, one.filed].map((count, i, all) => count - (all[i - 1] ?? 0));
    expect(Math.max(...each)).toBe(3);
    expect(one.filed).toBe(8);
  });

  it("is filed before the number is round when nobody writes, if there are enough, by whoever wrote last", async () => {
    const { one, start } = await startedHistory();
    for (let i = 0; i < 25; i += 1) {
      one.database.exec(`insert into organizations (id, name, created, revision) values ('${i}', 'Acme ${i}', '', 0)`);
    }
    const [two, three] = [start(), start()];
    two.append(attempts(9));
    two.history.makeDue();
    two.workThrough();
    expect(two.through).toBe(0);
    two.append(attempts(10, 9));
    three.append(attempts(1, 19));
    two.history.makeDue();
    two.workThrough();
    expect(two.through).toBe(0);
    three.history.makeDue();
    three.workThrough(() => three.expectPages());
    three.expectAllFiled();
    expect(three.through).toBe(20);
    two.expectPages();
  });

  it("waits for more when there are more organizations", async () => {
    const { one, start } = await startedHistory();
    for (let i = 0; i < 25; i += 1) {
      one.database.exec(`insert into organizations (id, name, created, revision) values ('${i}', 'Acme ${i}', '', 0)`);
    }
    const two = start();
    two.append(attempts(24));
    two.workThrough();
    expect(two.through).toBe(0);
    two.append(attempts(1, 24));
    two.workThrough();
    expect(two.through).toBe(25);
  });

  it("files in the next round what comes while it is filed, before its place or behind it", async () => {
    const { one } = await startedHistory();
    one.append(attempts(10));
    one.workUntilFiled(1);
    const late = [
      nthAttemptAt(day(-1), 0, { organizationId: "acme" }),
      nthAttemptAt(day(900), 0, { organizationId: "zeta" }),
    ];
    one.append(late);
    one.workThrough(() => one.expectPages());
    expect(one.through).toBe(10);
    one.expectFiledTruly();
    one.expectPages();
    expect(one.unfiled).toBeLessThanOrEqual(late.length);
    one.append(attempts(8, 10));
    one.workThrough();
    one.expectAllFiled();
    one.expectPages();
  });

  it("tells that there is more to do as long as a round is due", async () => {
    const { one } = await startedHistory();
    one.append(attempts(10));
    one.workUntilFiled(1);
    one.append(attempts(10, 10));
    one.workThrough();
    one.expectAllFiled();
  });

  it("is filed even if something is written between any two steps", async () => {
    const { one } = await startedHistory();
    for (let n = 0; n < 400; n += 2) {
      one.append(attempts(2, n));
      one.history.work();
    }
    expect(one.through).toBeGreaterThan(300);
    one.expectPages();
  });

  it("keeps the first one of an id, filed or not", async () => {
    const { one, plain } = await startedHistory();
    const first = attempts(10);
    const again = first.map((each) => ({ ...each, outcome: "denied" as const, organizationId: "globex" }));
    one.append([...first.slice(0, 5), ...again.slice(0, 5)]);
    one.expectPages();
    one.append([...first.slice(5), ...attempts(10, 10)]);
    one.workThrough();
    one.append(again);
    one.expectPages();
    expect(plain.list({ outcome: "denied", limit: 9 })).toEqual([]);
    one.append(attempts(10, 20));
    one.workThrough();
    one.expectPages();
    one.expectFiledTruly();
  });

  it("shows nobody's attempts to nobody", async () => {
    const { one, plain } = await startedHistory();
    one.append(attempts(20, 0, { organizationId: null }));
    one.workThrough();
    one.expectAllFiled();
    expect(one.through).toBe(20);
    expect(one.filed).toBe(0);
    for (const organizationId of ["", "null", "nobody"]) {
      expect(one.history.list({ organizationId, limit: 9 })).toEqual([]);
    }
    expect(plain.ids).toHaveLength(20);
  });
});

describe("a history that is cut off", () => {
  it.each([1, 2, 3, 5])("in step %i of a filing loses nothing, and is filed in the next round", async (steps) => {
    const { one, start } = await startedHistory();
    one.append(attempts(20));
    for (let i = 0; i < steps; i += 1) one.history.work();
    one.end();
    const next = start();
    next.expectFiledTruly();
    next.expectPages();
    next.append(attempts(10, 20));
    next.workThrough(() => next.expectPages());
    next.expectAllFiled();
    next.expectPages();
  });

  it("has a large backlog in its first page", async () => {
    const { one, plain, start } = await startedHistory();
    for (let n = 0; n < 5000; n += 500) one.append(attempts(500, n));
    one.end();
    const next = start();
    const page = { organizationId: "globex", limit: 9999 };
    expect(next.history.list(page)).toEqual(plain.list(page).map(toValues));
    next.expectPages();
    expect(next.unfiled).toBe(3750);
    next.append(attempts(10, 5000));
    next.workThrough();
    next.expectAllFiled();
    next.expectPages();
  });
});

describe("a filing", () => {
  const synchronous = (one: HistoryProcess) => one.number("pragma synchronous");
  const FULL = 2;

  it("leaves it at that: attempts are durable at once", async () => {
    const { one } = await startedHistory();
    one.append(attempts(10));
    one.workThrough();
    one.expectAllFiled();
    expect(synchronous(one)).toBe(FULL);
  });

  it("that fails does so, too, and loses nothing", async () => {
    const { one } = await startedHistory();
    one.database.exec(`create temp trigger full before insert on attempts_by_organization
      begin select raise(abort, 'the disk is full'); end`);
    one.append(attempts(10));
    expect(() => one.workThrough()).toThrow(/the disk is full/);
    expect(synchronous(one)).toBe(FULL);
    one.expectPages();
    one.database.exec("drop trigger full");
    one.workThrough();
    one.expectAllFiled();
    one.expectPages();
  });
});

describe("a failing append", () => {
  const spoilt = () => nthAttemptAt(day(3), 999, { organizationId: "acme", api: null as unknown as "v1" });

  /** Between steps of a filing, as the thread comes to it. */
  async function failedDuringFiling(more: number): Promise<HistoryProcess> {
    const { one } = await startedHistory();
    one.append(attempts(10));
    one.workUntilFiled(1);
    expect(() => one.history.append([...attempts(more, 10), spoilt()].map(toValues))).toThrow(/not null/i);
    return one;
  }

  it("leaves nothing, and the history goes on", async () => {
    const one = await failedDuringFiling(3);
    expect(one.number("select count(*) from attempts")).toBe(10);
    one.expectPages();
    one.append(attempts(10, 10));
    one.workThrough();
    one.expectAllFiled();
    one.expectPages();
  });

  it("with a round number, too, hides nothing of what comes after it", async () => {
    const one = await failedDuringFiling(10);
    one.history.work();
    one.append(attempts(5, 30));
    one.expectPages();
    one.workThrough();
    one.append(attempts(5, 35));
    one.workThrough();
    one.expectFiledTruly();
    one.expectPages();
  });
});

describe("a history of which old attempts are removed", () => {
  it("numbers on when none is left, and shows what comes then", async () => {
    const { one, plain, store, start } = await startedHistory();
    one.append(attempts(20));
    one.workThrough();
    for (const from of [plain, store.attempts]) expect(await from.removeBefore(day(1000), 100)).toBe(20);
    one.expectPages();
    const two = start();
    two.append(attempts(5, 20));
    for (const each of [one, two]) each.expectPages();
    expect(one.number("select min(number) from attempts")).toBe(21);
    two.append(attempts(5, 25));
    two.workThrough();
    two.expectAllFiled();
    for (const each of [one, two]) each.expectPages();
  });

  it("does not bring them back by a filing that has begun", async () => {
    const { one, plain, store } = await startedHistory();
    one.append(attempts(20));
    one.workUntilFiled(6);
    for (const from of [plain, store.attempts]) expect(await from.removeBefore(day(400), 9)).toBe(9);
    one.expectPages();
    one.workThrough(() => one.expectPages());
    one.expectAllFiled();
    one.expectPages();
  });

  it("shows one that was removed and comes once more", async () => {
    const { one, plain, store } = await startedHistory();
    const old = attempts(5);
    one.append(old);
    one.expectPages();
    for (const from of [plain, store.attempts]) expect(await from.removeBefore(day(1000), 100)).toBe(5);
    one.append(old);
    one.expectPages();
    one.append(attempts(10, 5));
    one.workThrough();
    one.expectFiledTruly();
    one.expectPages();
  });
});
