import { describe, expect, it } from "vitest";
import { details, table } from "../src/table.ts";
import { cut, padded, widthOf } from "../src/width.ts";
import { wrapped } from "../src/wrapped.ts";

const ROWS = [
  ["vpn_ip_v1", "licensed", "Exit addresses of VPN providers, with the name of each provider"],
  ["bogon_ip_v1", "expired", "Short"],
];

describe("a table", () => {
  it("is as wide as it needs where it goes to no screen", () => {
    expect(table(["ID", "STANDING"], [["vpn_ip_v1", null]], "none")).toBe("ID         STANDING\nvpn_ip_v1  -\n");
  });

  it("fits the screen: the widest column gives way, and the short ones stay whole", () => {
    for (const columns of [40, 60, 80]) {
      const lines = table(["ID", "STANDING", "SUMMARY"], ROWS, "none", { columns }).trimEnd().split("\n");
      expect(lines.every((line) => widthOf(line) <= columns)).toBe(true);
      expect(lines[1]).toMatch(/^vpn_ip_v1 {4}licensed {2}Exit addr.*…$/);
      expect(lines[2]).toMatch(/Short$/);
    }
  });

  it("leaves the last columns out where they would say nothing, and never cuts the name of a row", () => {
    const at = (columns: number) => table(["ID", "STANDING", "SUMMARY"], ROWS, "none", { columns }).split("\n");
    expect(at(35)[1]).toBe("vpn_ip_v1    licensed  Exit addres…");
    expect(at(34)[1]).toBe("vpn_ip_v1    licensed");
    expect(at(5)[2]).toBe("bogon_ip_v1");
  });

  it("colours cells, and never their width", () => {
    const paint = (text: string, column: number) => (column === 1 ? `<${text}>` : text);
    expect(table(["ID", "STANDING", "X"], [["a", "expired", "x"]], "none", { paint })).toBe(
      "ID  STANDING  X\na   <expired>   x\n",
    );
  });

  it("says that there is nothing", () => {
    expect(table(["ID"], [], "There are none.")).toBe("There are none.\n");
  });

  it("lets no text steer the terminal", () => {
    expect(table(["A"], [["\x1b[2Jevil\x07\nline"]], "none")).toBe("A\nevil  line\n");
  });
});

describe("details", () => {
  it("are broken between words, below each other", () => {
    expect(details({ id: "vpn_ip_v1", summary: "Exit addresses of VPN providers" }, { columns: 30 })).toBe(
      "id       vpn_ip_v1\nsummary  Exit addresses of VPN\n         providers\n",
    );
  });
});

describe("the width of text", () => {
  it.each([
    ["plain", 5],
    ["…ä", 2],
    ["e\u0301", 1],
    ["数据库", 6],
    ["👩‍💻 x", 4],
  ])("%s", (text, width) => {
    expect(widthOf(text)).toBe(width);
    expect(widthOf(padded(text, 10))).toBe(10);
  });

  it("is kept to when it is cut", () => {
    expect([cut("database", 8), cut("database", 5), cut("数据库", 4)]).toEqual(["database", "data…", "数…"]);
  });

  it("is kept to when it is broken, save for words that are longer than a line", () => {
    expect(wrapped("see https://depot.example/docs for more", 12)).toEqual([
      "see",
      "https://depot.example/docs",
      "for more",
    ]);
    expect(wrapped("no width to keep to", undefined)).toEqual(["no width to keep to"]);
  });
});
