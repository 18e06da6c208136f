import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTime } from "../../../src/platform/primitives/dates.ts";

describe("parseTime", () => {
  it.each([
    ["2027-01-31", "2027-01-31T00:00:00.000Z"],
    ["2027-01-31T12:30:45Z", "2027-01-31T12:30:45.000Z"],
    ["2027-01-31t12:30:45z", "2027-01-31T12:30:45.000Z"],
    ["2027-01-31 12:30:45Z", "2027-01-31T12:30:45.000Z"],
    ["2027-01-31T12:30:45.1Z", "2027-01-31T12:30:45.100Z"],
    ["2027-01-31T12:30:45.123456789Z", "2027-01-31T12:30:45.123Z"],
    ["2027-01-31T12:30:45+02:00", "2027-01-31T10:30:45.000Z"],
    ["2027-01-31T23:30:00-05:30", "2027-02-01T05:00:00.000Z"],
    ["2027-01-31T12:30:45-00:00", "2027-01-31T12:30:45.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["2000-02-29", "2000-02-29T00:00:00.000Z"],
    ["2028-02-29T23:59:59.999-12:00", "2028-03-01T11:59:59.999Z"],
  ])("parses %s as %s", (text, instant) => {
    expect(parseTime(text)?.toISOString()).toBe(instant);
  });

  it.each([
    "",
    "tomorrow",
    "never",
    "1",
    "2027",
    "2027-01",
    "2027-1-31",
    "27-01-31",
    "2027/01/31",
    "31.01.2027",
    "20270131",
    "2027-00-10",
    "2027-13-01",
    "2027-01-00",
    "2027-01-32",
    "2027-02-29",
    "2027-02-30",
    "2100-02-29",
    "2027-04-31",
    "2027-02-30T00:00:00Z",
    "2027-01-31T12:30:45",
    "2027-01-31T12:30Z",
    "2027-01-31T25:00:00Z",
    "2027-01-31T12:60:00Z",
    "2027-01-31T12:00:61Z",
    "2027-01-31T12:00:00+25:00",
    "2027-01-31T12:00:00+02:60",
    "2027-01-31T12:00:00+0200",
    "2027-01-31T12:00:00+02",
    "2027-01-31T12:00:00,5Z",
    "2027-01-31T12:00:00.Z",
    "2027-01-31Z",
    "2027-01-31T",
    " 2027-01-31",
    "2027-01-31 ",
    "2027-01-31\n",
    "-2027-01-31",
    "+002027-01-31",
    "2027-01-31T12:00:00Z2",
    "２０２７-01-31",
  ])("rejects %j", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it("parses every formatted time and date", () => {
    const anyTime = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(anyTime, (time) => {
        expect(parseTime(time.toISOString())).toEqual(time);
        expect(parseTime(time.toISOString().slice(0, 10))?.toISOString()).toBe(
          `${time.toISOString().slice(0, 10)}T00:00:00.000Z`,
        );
      }),
    );
  });

  it("accepts exactly the days that the calendar has", () => {
    const number = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 9999 }), number(13), number(32), (year, month, day) => {
        const text = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
        const exists = new Date(Date.UTC(year, month - 1, day)).toISOString().startsWith(`${text}T`);
        expect(parseTime(text) !== undefined).toBe(exists);
      }),
      { numRuns: 2000 },
    );
  });

  // RFC 3339 has no hour 24, and times outside its four-digit years would not sort as text.
  it.each(["2027-01-31T24:00:00Z", "9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"])("rejects %j", (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
