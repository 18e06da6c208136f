import { describe, expect, it } from "vitest";
import { details, table } from "../src/table.ts";
import { displayWidth, pad, truncate } from "../src/width.ts";
import { wrap } from "../src/wrap.ts";

const ROWS = [
  ["vpn_ip_v1", "licensed", "Exit addresses of VPN providers, with the name of each provider"],
  ["bogon_ip_v1", "expired", "Short"],
];

describe("a table", () => {
  it("is as wide as its content if there is no terminal", () => {
    expect(table(["ID", "STANDING"], [["vpn_ip_v1", null]], "none")).toBe("ID         STANDING\nvpn_ip_v1  -\n");
  });

  it("fits the terminal by truncating the widest column first", () => {
    for (const columns of [40, 60, 80]) {
      const lines = table(["ID", "STANDING", "SUMMARY"], ROWS, "none", { columns }).trimEnd().split("\n");
      expect(lines.every((line) => displayWidth(line) <= columns)).toBe(true);
      expect(lines[1]).toMatch(/^vpn_ip_v1 {4}licensed {2}Exit addr.*…$/);
      expect(lines[2]).toMatch(/Short$/);
    }
  });

  it("drops the last columns before they get too narrow, and never truncates the first", () => {
    const at = (columns: number) => table(["ID", "STANDING", "SUMMARY"], ROWS, "none", { columns }).split("\n");
    expect(at(35)[1]).toBe("vpn_ip_v1    licensed  Exit addres…");
    expect(at(34)[1]).toBe("vpn_ip_v1    licensed");
    expect(at(5)[2]).toBe("bogon_ip_v1");
  });

  it("keeps further columns whole if told to", () => {
    const lines = (wholeColumns: number) =>
      table(["TIME", "WHAT", "WHO"], [["2026", "account.link_accepted", "somebody else"]], "none", {
        columns: 40,
        wholeColumns,
      }).split("\n");
    expect(lines(1)[1]).not.toContain("account.link_accepted");
    expect(lines(2)[1]).toBe("2026  account.link_accepted");
  });

  it("measures cells before colouring them", () => {
    const paint = (text: string, column: number) => (column === 1 ? `<${text}>` : text);
    expect(table(["ID", "STANDING", "X"], [["a", "expired", "x"]], "none", { paint })).toBe(
      "ID  STANDING  X\na   <expired>   x\n",
    );
  });

  it("prints a sentence if there are no rows", () => {
    expect(table(["ID"], [], "No databases.")).toBe("No databases.\n");
  });

  it("removes control characters", () => {
    expect(table(["A"], [["\x1b[2Jevil\x07\nline"]], "none")).toBe("A\nevil  line\n");
  });
});

describe("details", () => {
  it("wrap long values between words", () => {
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
    expect(displayWidth(text)).toBe(width);
    expect(displayWidth(pad(text, 10))).toBe(10);
  });

  it("is not exceeded by truncated text", () => {
    expect([truncate("database", 8), truncate("database", 5), truncate("数据库", 4)]).toEqual([
      "database",
      "data…",
      "数…",
    ]);
  });

  it("is not exceeded by wrapped text, except by words longer than a line", () => {
    expect(wrap("see https://depot.example/docs for more", 12)).toEqual([
      "see",
      "https://depot.example/docs",
      "for more",
    ]);
    expect(wrap("no width to keep to", undefined)).toEqual(["no width to keep to"]);
  });
});
