import { describe, expect, it } from "vitest";
import { csvLine, prefersCsv } from "../../../src/http/operator/csv.ts";

describe("CSV line", () => {
  it("quotes cells where necessary and ends with CR LF", () => {
    expect(csvLine(["a", 1, null, "", 0])).toBe("a,1,,,0\r\n");
    expect(csvLine(["a,b", 'say "hi"', "a b", " a", "a;b"])).toBe('"a,b","say ""hi""",a b," a","a;b"\r\n');
    expect(csvLine(["ünï 🚀"])).toBe("ünï 🚀\r\n");
  });

  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["＝1+1", "'＝1+1"],
    ["＠x", "'＠x"],
    ["  =1", '"  \'=1"'],
    ["\t=1", '" \'=1"'],
    ["\r=1", '" \'=1"'],
    ["\u00a0=1", '"\u00a0\'=1"'],
    ["a;=1", '"a;\'=1"'],
    ["a; @b", '"a; \'@b"'],
    ["a\n=1", "a =1"],
    ["a\0b", "a b"],
    ['=HYPERLINK("http://evil","x")', '"\'=HYPERLINK(""http://evil"",""x"")"'],
  ])("neutralizes %j, so a spreadsheet does not run it as a formula", (text, line) => {
    expect(csvLine([text])).toBe(`${line}\r\n`);
  });

  it.each(["vpn_ip_v1", "2001:db8::1", "curl/8.5.0", "a-b", "a=b", "2026-11-01T00:00:00.000Z", "user@example"])(
    "leaves %j unchanged",
    (text) => {
      expect(csvLine([text])).toBe(`${text}\r\n`);
    },
  );
});

describe("Accept header", () => {
  it.each([
    [undefined, false],
    ["*/*", false],
    ["application/json", false],
    ["text/html, */*", false],
    ["text/csv", true],
    ["TEXT/CSV; header=present", true],
    ["text/csv, */*;q=0.1", true],
    ["text/csv, application/json;q=0.9", true],
    ["application/json, text/csv;q=0.9", false],
    ["application/json, text/csv", false],
    ["text/csv;q=0", false],
    ["text/csv;q=x", false],
    ["text/csvx", false],
  ])("%j prefers CSV: %j", (accept, isCsv) => {
    expect(prefersCsv(accept)).toBe(isCsv);
  });
});
