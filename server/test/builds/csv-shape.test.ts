import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvShape } from "../../src/builds/inspection/csv-shape.ts";
import { inPieces } from "./made.ts";

function lookAt(text: string, ...pieceSizes: number[]) {
  const shape = new CsvShape();
  for (const piece of inPieces(Buffer.from(text), ...pieceSizes)) shape.take(piece);
  return shape.end();
}

describe("a CSV that is sound", () => {
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
  ])("%j", (text, header, entries) => {
    expect(lookAt(text)).toEqual({ faults: [], table: { header, entries } });
    // Wherever it is cut, it is the same.
    for (const size of [1, 2, 3, 5]) expect(lookAt(text, size)).toEqual({ faults: [], table: { header, entries } });
  });

  it("is what any rows make when they are written by the book", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "é", ",", '"', "\n", "\r\n", " ", "漢"), maxLength: 6 });
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    const quoted = (text: string) => (/[",\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text);
    fc.assert(
      fc.property(table, fc.constantFrom("\n", "\r\n"), fc.array(fc.nat(7)), (rows, end, sizes) => {
        const text = rows.map((row) => row.map(quoted).join(",") + end).join("");
        const pieceSizes = sizes.map((size) => size + 1);
        expect(lookAt(text, ...pieceSizes)).toEqual({
          faults: [],
          table: { header: rows[0], entries: rows.length - 1 },
        });
      }),
    );
  });
});

describe("what is wrong with a CSV", () => {
  it.each([
    ["", ["the CSV is empty: it has not even a header"]],
    ["a,b\n1\n1,2\n1,2,3\n", ["line 2: 1 cell, but the header has 2", "line 4: 3 cells, but the header has 2"]],
    ["a,b\n1,2\n\n", ["line 3: 1 cell, but the header has 2"]],
    ['a,b\n"x\ny",1\n2\n', ["line 4: 1 cell, but the header has 2"]],
    ['a,b\n1,x"y\n', ["line 2: a quote in the middle of a cell that does not begin with one"]],
    ['a,b\n1,"x" y\n', ["line 2: text after the quote that closes a cell"]],
    ['a,b\n1,2\n"3,4\n5,6\n', ["line 3: a quote is opened and never closed", "line 5: 1 cell, but the header has 2"]],
    ["a,b\n1\r,2\n", ["line 2: a carriage return without a line feed"]],
    ["a,b\n1,2\r", ["line 2: a carriage return without a line feed"]],
    ["\ufeffa\n1\n", ["it begins with a byte order mark, which readers take for a part of the first column's name"]],
  ])("%j", (text, faults) => {
    expect(lookAt(text).faults).toEqual(faults);
    for (const size of [1, 2, 3]) expect(lookAt(text, size).faults).toEqual(faults);
  });

  it("is told of the first ten times, and then counted", () => {
    const { faults, table } = lookAt(`a,b\n${"1\n".repeat(1000)}`);
    expect(faults).toHaveLength(11);
    expect(faults.at(-1)).toBe("and 990 more like these");
    expect(table?.entries).toBe(1000);
  });

  it("may be that it is none: then its header has no end, and is not kept in memory", () => {
    const { faults, table } = lookAt("x".repeat(3_000_000), 65_536);
    expect(faults).toEqual(["the header is longer than 1048576 bytes: is this a CSV?"]);
    expect(table).toEqual({ header: [], entries: 0 });
  });
});
