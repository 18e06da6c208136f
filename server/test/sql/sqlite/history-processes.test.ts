import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../src/downloads/attempt.ts";
import { day } from "../../licences/terms.ts";
import { type HistoryProcess, ORGANIZATIONS, openHistory } from "./history-process.ts";
import { nthAttemptAt, seeded } from "./plain-history.ts";

function attemptsOf(organizationId: string, count: number, from: number): Attempt[] {
  return Array.from({ length: count }, (_, i) => nthAttemptAt(day(from), i, { organizationId }));
}

describe("a history of two processes", () => {
  async function twoProcesses() {
    const { start } = await openHistory();
    const [one, two] = [start(), start()];
    const expectPages = () => {
      for (const each of [one, two]) each.expectPages();
      one.expectFiledTruly();
    };
    return { one, two, expectPages };
  }

  it("has the same pages at both of them, while they write and file by turns", async () => {
    const { one, two, expectPages } = await twoProcesses();
    for (let n = 0; n < 18; n += 1) {
      const [writer, reader] = n % 2 ? [one, two] : [two, one];
      writer.append(attemptsOf(ORGANIZATIONS[n % 3] ?? "", 5, n % 3 ? n : 90 - n));
      expectPages();
      writer.history.work();
      expectPages();
      reader.history.work();
      expectPages();
    }
    for (const each of [one, two]) each.workThrough(expectPages);
    expect(one.through).toBeGreaterThanOrEqual(80);
  });

  it("is filed by the one that writes the round number, and forgotten by the other", async () => {
    const { one, two, expectPages } = await twoProcesses();
    one.append(attemptsOf("acme", 8, 1));
    two.append(attemptsOf("globex", 2, 2));
    expectPages();
    one.workThrough();
    expect(one.filed).toBe(0);
    two.workThrough();
    expect(one.through).toBe(10);
    two.expectAllFiled();
    expectPages();
    two.append(attemptsOf("acme", 3, 3));
    expectPages();
    expect(one.unfiled).toBe(3);
  });

  it("is right when the second files more while the first is at it", async () => {
    const { one, two, expectPages } = await twoProcesses();
    one.append(attemptsOf("globex", 10, 1));
    one.workUntilFiled(1);
    two.append([...attemptsOf("acme", 5, 2), ...attemptsOf("initech", 5, 0)]);
    two.workThrough();
    expect(two.through).toBe(20);
    two.append(attemptsOf("acme", 2, 4));
    one.workThrough();
    expect(one.through).toBe(20);
    expectPages();
  });

  it("does not lose what one has seen beyond the other's filing", async () => {
    const { one, two, expectPages } = await twoProcesses();
    two.append(attemptsOf("acme", 10, 1));
    two.history.work();
    two.history.work();
    one.append(attemptsOf("acme", 4, 2));
    one.append(attemptsOf("globex", 3, 0));
    one.expectPages();
    two.workThrough();
    expect(two.through).toBe(10);
    one.append(attemptsOf("initech", 1, 3));
    expectPages();
    expect(one.unfiled).toBe(8);
  });
});

/** So many steps of several processes, by chance: each is replaced now and then, and old attempts are removed. */
async function runAtRandom(seed: number, { processes: count, steps }: { processes: number; steps: number }) {
  const random = seeded(seed);
  const { plain, store, start } = await openHistory();
  const processes = Array.from({ length: count }, () => start());
  const made: Attempt[] = [];
  const some = <T>(of: readonly T[]) => of[random(of.length)] as T;

  function anyAttempt(): Attempt {
    // Some days come late, and the first day moves on.
    const created = day(Math.floor(made.length / 20) + random(8));
    const organizationId = random(5) === 0 ? null : some(ORGANIZATIONS);
    const fresh = nthAttemptAt(created, made.length, { organizationId });
    const isRepeated = made.length > 0 && random(6) === 0;
    const next = isRepeated ? { ...some(made), outcome: "denied" as const } : fresh;
    made.push(next);
    return next;
  }

  async function removeSome(): Promise<void> {
    const [before, limit] = [day(Math.floor(made.length / 20)), 1 + random(20)];
    expect(await store.attempts.removeBefore(before, limit)).toBe(plain.removeBefore(before, limit));
  }

  function replace(old: HistoryProcess): void {
    old.end();
    processes[processes.indexOf(old)] = start();
  }

  let through = 0;
  for (let step = 0; step < steps; step += 1) {
    const one = some(processes);
    const chance = random(100);
    if (chance < 45) one.append(Array.from({ length: random(7) }, anyAttempt));
    else if (chance < 90) one.history.work();
    else if (chance < 95) await removeSome();
    else replace(one);
    const now = some(processes);
    now.expectFiledTruly();
    expect(now.through).toBeGreaterThanOrEqual(through);
    through = now.through;
    // Not always: to look is to take in.
    if (random(3) === 0) now.expectPages();
    if (random(10) === 0) for (const each of processes) each.expectPages();
  }
  return { processes, made };
}

describe.each([1, 2, 3])("a history at random (processes: %i)", (processes) => {
  it.each([1, 2])("is the plain one at every step, and filed in the end (seed: %i)", async (seed) => {
    const { processes: all, made } = await runAtRandom(seed, { processes, steps: 120 });
    const [last] = all as [HistoryProcess];
    for (let n = made.length; ; n += 1) {
      last.append([nthAttemptAt(day(999), n, { organizationId: "acme" })]);
      if (last.number("select max(number) from attempts") % 10 === 0) break;
    }
    last.workThrough();
    last.expectAllFiled();
    for (const each of all) each.expectPages();
  });
});
