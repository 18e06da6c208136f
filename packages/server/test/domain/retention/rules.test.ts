import { expect, it } from "vitest";
import type { ObjectStore } from "../../../src/domain/builds/object-store.ts";
import type { AddressRows, OldRows } from "../../../src/domain/old-rows.ts";
import { clearInBatches, removeInBatches } from "../../../src/domain/retention/batches.ts";
import { retentionRules } from "../../../src/domain/retention/rules.ts";
import type { Store } from "../../../src/domain/store.ts";
import { parseSettings } from "../../../src/settings/settings.ts";
import { day } from "../licences/terms.ts";

const { retention } = parseSettings({});
const builds = retentionRules().find(({ kind }) => kind === "builds") ?? expect.unreachable();

it.each([
  [0, 0, false, ""],
  [3, 0, true, "except the newest 3 of each version."],
  [0, 1, true, "except those that were replaced less than 1 day ago."],
  [3, 30, true, "except the newest 3 of each version and those that were replaced less than 30 days ago."],
])("keeps the newest %d builds and those of %d days: on is %s", (count, days, isOn, words) => {
  const policy = { ...retention, builds: { ...retention.builds, count, days } };
  expect(builds.isOn(policy)).toBe(isOn);
  if (isOn) expect(builds.inWords(policy)).toContain(words);
});

it("clears addresses batch by batch until none is left, and says where to continue", async () => {
  const asked: string[] = [];
  const batches = [{ cleared: 2, last: "b" }, { cleared: 0, last: "d" }, { cleared: 1, last: "e" }, { cleared: 0 }];
  const clearAddresses = async ({ after }: { after: string }) => {
    asked.push(after);
    return batches[asked.length - 1] ?? expect.unreachable();
  };
  expect(await clearInBatches({ clearAddresses }, { after: "a", before: day(1) })).toEqual({ cleared: 3, last: "e" });
  expect(asked).toEqual(["a", "b", "d", "e"]);
});

it("removes rows batch by batch, and stops between two of them", async () => {
  const stopping = new AbortController();
  const left = [500, 20, 7, 0];
  const rows = { removeBefore: async () => left.shift() ?? expect.unreachable() };
  expect(await removeInBatches(rows, day(1))).toBe(527);
  left.push(500, 500);
  const slow = {
    async removeBefore() {
      stopping.abort();
      return rows.removeBefore();
    },
  };
  expect(await removeInBatches(slow, day(1), stopping.signal)).toBe(500);
  expect(
    await clearInBatches(
      { clearAddresses: () => expect.unreachable() },
      { after: "a", before: day(1) },
      stopping.signal,
    ),
  ).toEqual({ cleared: 0, last: "a" });
});

/** Rows of 10 bytes, created at these times. */
function rowsOf(created: Date[]): OldRows {
  const before = (time: Date) => created.filter((each) => each < time);
  return {
    async removeBefore(time, limit) {
      return before(time)
        .slice(0, limit)
        .map((each) => created.splice(created.indexOf(each), 1)).length;
    },
    amountBefore: async (time) => amountOf(before(time)),
  };
}

function amountOf(times: Date[]) {
  return { count: times.length, bytes: times.length * 10, oldest: times[0] ?? null };
}

function contextOf(store: object) {
  const policy = { ...retention, deliveryDays: 10, addressDays: 10 };
  return { store: store as Store, objects: {} as ObjectStore, policy, now: day(100) };
}

const ruleOf = (kind: string) => retentionRules().find((rule) => rule.kind === kind) ?? expect.unreachable();

it.each([
  [[day(2), day(3)], [day(1), day(99)], 3, day(1)],
  [[day(1)], [day(2)], 2, day(1)],
  [[day(95)], [day(5)], 1, day(5)],
  [[], [day(99)], 0, null],
])(
  "counts and removes deliveries to webhooks and to buckets together: %j and %j",
  async (one, other, count, oldest) => {
    const context = contextOf({
      webhooks: { oldDeliveries: rowsOf(one) },
      destinations: { oldDeliveries: rowsOf(other) },
    });
    const deliveries = ruleOf("deliveries");
    expect(await deliveries.preview(context)).toEqual({ count, bytes: count * 10, oldest });
    expect(await deliveries.apply(context, new AbortController().signal)).toBe(count);
    expect(await deliveries.preview(context)).toEqual({ count: 0, bytes: 0, oldest: null });
  },
);

it.each([
  ["2100-01-01", [day(2), day(3)], [day(1)], { count: 3, bytes: 30, oldest: day(1) }],
  ["2100-01-01", [day(2)], [day(4)], { count: 2, bytes: 20, oldest: day(2) }],
  ["2100-01-01", [], [], { count: 0, bytes: 0, oldest: null }],
  // The usage of these days is not counted yet.
  [undefined, [day(2)], [day(4)], { count: 1, bytes: 10, oldest: day(4) }],
])(
  "counts addresses of attempts and of the audit until usage is final (%s)",
  async (finalUntil, one, other, amount) => {
    const before = (times: Date[]): Pick<AddressRows, "addressesBefore"> => ({
      addressesBefore: async (time) => amountOf(times.filter((each) => each < time)),
    });
    const usage = { progress: async () => ({ finalUntil }) };
    const context = contextOf({ attempts: before(one), audit: before(other), usage });
    expect(await ruleOf("addresses").preview(context)).toEqual(amount);
  },
);
