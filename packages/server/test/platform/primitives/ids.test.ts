import { describe, expect, it } from "vitest";
import { isUuid, newId } from "../../../src/platform/primitives/ids.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function timeOf(id: string): number {
  return Number.parseInt(id.replace("-", "").slice(0, 12), 16);
}

describe("newId", () => {
  // This test must be first, because later ones advance the newest id of this process into the future.
  it("encodes the time", () => {
    const now = new Date("2020-01-01T00:00:00Z");
    expect(timeOf(newId(now))).toBe(now.getTime());
  });

  it("returns version 7 UUIDs", () => {
    const ids = Array.from({ length: 2000 }, () => newId(new Date("2020-01-02")));
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(ids.every(isUuid)).toBe(true);
  });

  it("returns distinct ids that sort in the order of creation, even within one millisecond", () => {
    const now = new Date("2020-01-03T00:00:00Z");
    // More than the 4,096 that the counter can distinguish within a millisecond.
    const ids = Array.from({ length: 10_000 }, () => newId(now));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.findIndex((id, i) => i > 0 && id <= (ids[i - 1] ?? ""))).toBe(-1);
  });

  it("never goes backwards, even if the clock does", () => {
    const times = ["2020-02-02", "2020-02-01", "2020-02-02", "2020-02-01T12:00:00Z", "2020-02-03", "2020-02-02"];
    const ids = times.map((time) => newId(new Date(time)));
    expect(ids).toEqual([...ids].sort());
  });

  it("fills the rest with random bits", () => {
    const now = new Date("2020-03-01");
    const tails = Array.from({ length: 2000 }, () => newId(now).slice(20));
    expect(new Set(tails).size).toBe(2000);
  });

  it.each([
    ["0193a000-0000-7000-8000-000000000001", true],
    ["0193A000-0000-7000-8000-000000000001", true],
    ["0193a00000007000800000000000000001", false],
    ["0193a000-0000-7000-8000-00000000000", false],
    [" 0193a000-0000-7000-8000-000000000001", false],
    ["0193a000-0000-7000-8000-000000000001\n", false],
    ["", false],
    ["Acme", false],
  ])("isUuid(%j) returns %s", (text, is) => {
    expect(isUuid(text)).toBe(is);
  });
});
