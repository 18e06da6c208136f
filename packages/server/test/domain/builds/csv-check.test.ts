import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvCheck } from "../../../src/domain/builds/inspection/csv-check.ts";
import { inChunks } from "./sample-build.ts";

function check(text: string, ...chunkSizes: number[]) {
  const csv = new CsvCheck();
  for (const chunk of inChunks(Buffer.from(text), ...chunkSizes)) csv.write(chunk);
  return csv.end();
}

describe("CsvCheck", () => {
  it.each([
    ["a,b\n1,2\n", ["a", "b"], 1],
    ["a,b\n1,2", ["a", "b"], 1],
    ["a,b\r\n1,2\r\n3,4\r\n", ["a", "b"], 2],
    ["a,b\n", ["a", "b"], 0],
    ["a", ["a"], 0],
    ['"a ""b""","c,d","e\nf"\n1,2,3\n', ['a "b"', "c,d", "e\nf"], 1],
    ['a,b\n"x\ny\nz",2\n"",""\n', ["a", "b"], 2],
    ["a,b\n,\n", ["a", "b"], 1],
    ['a\n""\n\n', ["a"], 2],
    ["naïve,漢字\n1,2\n", ["naïve", "漢字"], 1],
    ['a,b\n"x""y",1\n"x",""""\n', ["a", "b"], 2],
  ])("returns the header and the number of rows of %j, whatever the chunk size", (text, header, entries) => {
    for (const size of [text.length * 4, 1, 2, 3, 5]) {
      expect(check(text, size)).toEqual({ faults: [], table: { header, entries } });
    }
  });

  it("accepts any table that is written by RFC 4180", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r\n", " ", "漢"), maxLength: 6 });
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    const quoted = (text: string) => (/[",\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text);
    fc.assert(
      fc.property(table, fc.constantFrom("\n", "\r\n"), fc.array(fc.nat(7)), (rows, end, sizes) => {
        const text = rows.map((row) => row.map(quoted).join(",") + end).join("");
        expect(check(text, ...sizes.map((size) => size + 1))).toEqual({
          faults: [],
          table: { header: rows[0], entries: rows.length - 1 },
        });
      }),
    );
  });

  it("has a report for any bytes, whatever the chunk size", () => {
    const symbols = fc.constantFrom(0x61, 0x22, 0x2c, 0x0a, 0x0d, 0x00, 0xff, 0xc3);
    fc.assert(
      fc.property(fc.array(fc.oneof(symbols, fc.nat(255))), fc.array(fc.nat(7)), (bytes, sizes) => {
        const report = (...chunkSizes: number[]) => {
          const csv = new CsvCheck();
          for (const chunk of inChunks(Buffer.from(bytes), ...chunkSizes)) csv.write(chunk);
          return csv.end();
        };
        const whole = report(bytes.length + 1);
        expect(whole.faults.length > 0 || whole.table !== null).toBe(true);
        expect(report(...sizes.map((size) => size + 1))).toEqual(whole);
      }),
    );
  });

  it.each([
    ["", ["the CSV is empty: it has no header"]],
    ["a,b\n1\n1,2\n1,2,3\n", ["line 2: 1 cell, but the header has 2", "line 4: 3 cells, but the header has 2"]],
    ["a,b\n1,2\n\n", ["line 3: 1 cell, but the header has 2"]],
    ['a,b\n"x\ny",1\n2\n', ["line 4: 1 cell, but the header has 2"]],
    ['a,b\n1,x"y\n', ["line 2, column 4: quote inside an unquoted cell"]],
    ['a,b\n1,"x" y\n', ["line 2, column 6: text after a closing quote"]],
    ['a,b\n1,2\n"3,4\n5,6\n', ["line 3, column 1: quote is never closed"]],
    ["a,b\n1\r,2\n", ["line 2, column 2: carriage return without line feed"]],
    ['a,b\n1\n2,"x"y\n3\n', ["line 2: 1 cell, but the header has 2", "line 3, column 6: text after a closing quote"]],
    ["\ufeffa\n1\n", ["starts with a byte order mark, which readers take for part of the first column's name"]],
  ])("reports every fault of %j up to the first syntax error", (text, faults) => {
    for (const size of [text.length * 4, 1, 2, 3]) expect(check(text, size).faults).toEqual(faults);
  });

  it("stops after 20 faults", () => {
    const { faults, table } = check(`a,b\n${"1\n".repeat(1000)}`);
    expect(faults).toHaveLength(21);
    expect(faults.at(-1)).toBe("stopped after 20 faults");
    expect(table).toBeNull();
  });

  it("refuses a header with too many columns", () => {
    expect(check(",".repeat(10_000)).faults).toEqual(["the header has 10001 columns, at most 10000 are allowed"]);
  });

  it("refuses a file without line breaks instead of keeping it in memory", () => {
    expect(check("x".repeat(3_000_000), 65_536)).toEqual({
      faults: ["line 1: row is longer than 1048576 bytes (unclosed quote?)"],
      table: null,
    });
  });
});
