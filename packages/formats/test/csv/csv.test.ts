import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvError } from "../../src/csv/error.ts";
import { CsvParser, type CsvParserOptions } from "../../src/csv/parser.ts";
import { parseCsvLine } from "../../src/csv/read.ts";
import type { CsvRow } from "../../src/csv/row.ts";
import { formatCsvRow } from "../../src/csv/write.ts";

function parse(chunks: readonly (string | Buffer)[], options: CsvParserOptions = {}): CsvRow[] {
  const parser = new CsvParser(options);
  return [...chunks.flatMap((chunk) => [...parser.push(Buffer.from(chunk))]), ...parser.end()];
}

function cells(...chunks: (string | Buffer)[]): string[][] {
  return parse(chunks).map((row) => row.cells());
}

function errorOf(...chunks: (string | Buffer)[]): CsvError {
  try {
    parse(chunks);
  } catch (error) {
    if (error instanceof CsvError) return error;
    throw error;
  }
  throw new Error("there was no error");
}

function oneByOne(text: string | Buffer): Buffer[] {
  return [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
}

describe("CsvParser", () => {
  it("reads back what formatCsvRow wrote, however it is split into chunks", () => {
    const cell = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: fc.constantFrom(...'",\r\nä x') }));
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 10 }));
    fc.assert(
      fc.property(table, fc.array(fc.nat(400)), (rows, cuts) => {
        const bytes = Buffer.from(rows.map((row) => formatCsvRow(row)).join(""));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
        fc.pre(!rows[0]?.[0]?.startsWith("\ufeff"));
        const parsed = parse(chunks);
        expect(parsed.map((row) => row.cells())).toEqual(rows);
        expect(parsed.map((row) => row.cellCount)).toEqual(rows.map((row) => row.length));
      }),
      { numRuns: 500 },
    );
  });

  it("reads CRLF, a byte order mark, blank lines and a last line without a line end", () => {
    const text = '\ufeffa,b\r\n"1","x\r\ny"\r\n\r\n\n2,';
    const rows = [
      ["a", "b"],
      ["1", "x\r\ny"],
      ["2", ""],
    ];
    expect(cells(text)).toEqual(rows);
    expect(cells(...oneByOne(text))).toEqual(rows);
    expect(cells("a\n", "\ufeffb\n")).toEqual([["a"], ["\ufeffb"]]);
    expect(cells('a\n"b"')).toEqual([["a"], ["b"]]);
    expect(cells('a,"b"\r')).toEqual([["a", "b"]]);
    expect(cells("")).toEqual([]);
    expect(cells("\ufeff")).toEqual([]);
  });

  it("keeps blank lines on request", () => {
    const rows = parse(["a\n\n\r\nb\n"], { keepBlankLines: true });
    expect(rows.map((row) => row.cells())).toEqual([["a"], [""], [""], ["b"]]);
  });

  it("reports whether the text starts with a byte order mark", () => {
    const parser = new CsvParser();
    for (const chunk of oneByOne("\ufeffa\n")) Array.from(parser.push(chunk));
    expect(parser.hasByteOrderMark).toBe(true);
  });

  it("returns the line on which each row begins", () => {
    expect(parse(['a\n"b\nb"\n\n', "c\n"]).map(({ line }) => line)).toEqual([1, 2, 5]);
  });

  it.each([
    ["a quote in an unquoted cell", 'a,b\n1,2\n3,5" disk\n', 3, 4, "quote inside an unquoted cell"],
    ["text after a closing quote", 'a,b\n"1"x,2\n', 2, 4, "text after a closing quote"],
    ["text after a quote that spans lines", 'a\n"\n\n"x\n', 4, 2, "text after a closing quote"],
    ["an unclosed quote", 'a,b\n1,"2\n3,4\n', 2, 3, "quote is never closed"],
    ["an unclosed quote after quoted cells", 'a,b\n"1\n","2\n', 3, 3, "quote is never closed"],
    ["a lone carriage return", "a,b\n1,\r2\n", 2, 3, "carriage return without line feed"],
    ["a lone carriage return after a quote", 'a,b\n"1"\r,2\n', 2, 4, "carriage return without line feed"],
    ["an error after characters of several bytes", 'a,b\nä漢,x"\n', 2, 5, "quote inside an unquoted cell"],
    ["an error on the first line after a byte order mark", '\ufeffa"\n', 1, 2, "quote inside an unquoted cell"],
  ])("reports the position of %s", (_, text, line, column, reason) => {
    const message = `line ${line}, column ${column}: ${reason}`;
    expect(errorOf(text)).toMatchObject({ line, column, message });
    expect(errorOf(...oneByOne(text))).toMatchObject({ line, column, message });
  });

  it("reports the position of invalid UTF-8", () => {
    const bad = Buffer.concat([Buffer.from("a,b\n1,2\n3,"), Buffer.from([0xe4, 0x0a])]);
    expect(errorOf(bad).message).toBe("line 3, column 3: invalid UTF-8");
    expect(errorOf('a\n"1\n', Buffer.concat([Buffer.from("2\n"), bad])).message).toBe(
      "line 6, column 3: invalid UTF-8",
    );
    expect(errorOf(Buffer.from([0xff, 0xfe, 0x61, 0x00])).message).toBe("line 1, column 1: invalid UTF-8");
  });

  it("replaces invalid UTF-8 on request", () => {
    const rows = parse([Buffer.from([0x61, 0xe4, 0x0a])], { allowInvalidUtf8: true });
    expect(rows.map((row) => row.cells())).toEqual([["a\ufffd"]]);
  });

  it("refuses a row of more than a MiB instead of reading the file into memory", () => {
    const parser = new CsvParser();
    Array.from(parser.push(Buffer.from('a\n"')));
    const more = Buffer.from(`${"x".repeat(1 << 16)}\n`);
    expect(() => {
      for (let i = 0; i < 100; i++) Array.from(parser.push(more));
    }).toThrow("line 2: row is longer than 1048576 bytes (unclosed quote?)");
  });
});

describe("parseCsvLine", () => {
  it("reads one row", () => {
    expect(parseCsvLine('a,"b, ""c""",')).toEqual(["a", 'b, "c"', ""]);
    expect(() => parseCsvLine('a,"b')).toThrow("line 1, column 3: quote is never closed");
  });
});

describe("formatCsvRow", () => {
  it("quotes only cells that need it", () => {
    expect(formatCsvRow(["plain", "a,b", 'say "hi"', "two\nlines", " space ", ""])).toBe(
      'plain,"a,b","say ""hi""","two\nlines", space ,\n',
    );
    expect(formatCsvRow([""])).toBe('""\n');
  });

  it("uses the given line end and quotes the given cells", () => {
    expect(formatCsvRow(["a;b", "c"], { lineEnd: "\r\n", needsQuotes: /;/ })).toBe('"a;b",c\r\n');
  });
});
