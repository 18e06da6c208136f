import { describe, expect, it } from "vitest";
import { newestFirst } from "../../../src/sql/sqlite/newest-first.ts";

function merged(one: string, other: string, limit = 9): string {
  const rows = (text: string, from: string) => [...text].map((id) => ({ id, from }));
  const both = newestFirst(rows(one, "one"), rows(other, "other"), ({ id }) => id, limit);
  return both.map(({ id, from }) => (from === "one" ? id : id.toUpperCase())).join("");
}

describe("the newest first of two lists", () => {
  it("are theirs by turns, in one order", () => {
    expect(merged("fca", "edb")).toBe("fEDcBa");
    expect(merged("fe", "dc")).toBe("feDC");
    expect(merged("dc", "fe")).toBe("FEdc");
  });

  it("are all of one when the other is empty", () => {
    expect(merged("cba", "")).toBe("cba");
    expect(merged("", "cba")).toBe("CBA");
    expect(merged("", "")).toBe("");
  });

  it("have once what is in both, as the first list has it", () => {
    expect(merged("dba", "dcb")).toBe("dCba");
    expect(merged("cba", "cba")).toBe("cba");
    expect(merged("a", "cba")).toBe("CBa");
  });

  it("are no more than asked for, and what is in both counts once", () => {
    expect(merged("dba", "dcb", 3)).toBe("dCb");
    expect(merged("dba", "dcb", 4)).toBe("dCba");
    expect(merged("dba", "dcb", 1)).toBe("d");
    expect(merged("dba", "dcb", 0)).toBe("");
  });
});
