import { expect, it } from "vitest";
import { clearInBatches, removeInBatches } from "../../../src/domain/retention/batches.ts";
import { retentionRules } from "../../../src/domain/retention/rules.ts";
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
