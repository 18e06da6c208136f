import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvLine } from "../src/csv/line.ts";
import { CsvParser } from "../src/csv/parser.ts";

function parse(...chunks: (string | Buffer)[]) {
  const parser = new CsvParser();
  return [...chunks.flatMap((chunk) => parser.push(Buffer.from(chunk))), ...parser.end()];
}

function cells(...chunks: (string | Buffer)[]): string[][] {
  return parse(...chunks).map((row) => row.cells);
}

describe("CSV", () => {
  it("comes back as it was written, however it is cut into chunks", () => {
    const cell = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: fc.constantFrom(...'",\r\nä x') }));
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 10 }));
    fc.assert(
      fc.property(table, fc.array(fc.nat(400)), (rows, cuts) => {
        const bytes = Buffer.from(rows.map(csvLine).join(""));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
        fc.pre(!rows[0]?.[0]?.startsWith("\ufeff"));
        expect(cells(...chunks)).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it("reads CRLF, a byte order mark, blank lines and a last line without an end", () => {
    expect(cells('\ufeffa,b\r\n"1","x\r\ny"\r\n\r\n\n2,')).toEqual([
      ["a", "b"],
      ["1", "x\r\ny"],
      ["2", ""],
    ]);
    expect(cells("a\n", "\ufeffb\n")).toEqual([["a"], ["\ufeffb"]]);
    expect(cells('a\n"b"')).toEqual([["a"], ["b"]]);
    expect(cells('a,"b"\r')).toEqual([["a", "b"]]);
    expect(cells("")).toEqual([]);
  });

  it("knows the line on which each row begins", () => {
    expect(parse('a\n"b\nb"\n\n', "c\n").map(({ line }) => line)).toEqual([1, 2, 5]);
  });

  it.each([
    ["a quote in a plain cell", 'a,b\n1,2\n3,5" disk\n', "line 3: a quote in the middle"],
    ["text after a quote", 'a,b\n"1"x,2\n', "line 2: text after the quote"],
    ["text after a quote that spans lines", 'a\n"\n\n"x\n', "line 4: text after the quote"],
    ["a quote that is never closed", 'a,b\n1,"2\n3,4\n', "line 2: a quote is opened and never closed"],
    ["a lone carriage return", "a,b\n1,\r2\n", "line 2: a carriage return without a line feed"],
    ["a lone carriage return after a quote", 'a,b\n"1"\r,2\n', "line 2: a carriage return without a line feed"],
  ])("refuses %s", (_, text, fault) => {
    expect(() => parse(text)).toThrow(fault);
  });

  it("refuses what is not UTF-8, with its line", () => {
    const bad = Buffer.concat([Buffer.from("a,b\n1,2\n3,"), Buffer.from([0xe4, 0x0a])]);
    expect(() => parse(bad)).toThrow("line 3: not valid UTF-8");
    expect(() => parse('a\n"1\n', Buffer.concat([Buffer.from("2\n"), bad]))).toThrow("line 6: not valid UTF-8");
    expect(() => parse(Buffer.from([0xff, 0xfe, 0x61, 0x00]))).toThrow("line 1: not valid UTF-8");
  });

  it("does not swallow a whole file after a quote that is never closed", () => {
    const parser = new CsvParser();
    parser.push(Buffer.from('a\n"'));
    const more = Buffer.from("x".repeat(1 << 16));
    expect(() => {
      for (let i = 0; i < 100; i++) parser.push(Buffer.concat([more, Buffer.from("\n")]));
    }).toThrow("line 2: a row of more than 1048576 bytes");
  });

  it("quotes only what needs it", () => {
    expect(csvLine(["plain", "a,b", 'say "hi"', "two\nlines", " space ", ""])).toBe(
      'plain,"a,b","say ""hi""","two\nlines", space ,\n',
    );
    expect(csvLine([""])).toBe('""\n');
  });
});
