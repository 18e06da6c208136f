import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseToml, type TomlValue } from "../../src/command/config/toml.ts";

/** As plain values, without the lines. */
function plain(value: TomlValue): unknown {
  if (value.type === "array") return value.items.map(plain);
  if (value.type === "table") return Object.fromEntries([...value.entries].map(([key, item]) => [key, plain(item)]));
  return value.value;
}

function read(text: string): unknown {
  const { table, faults } = parseToml(text);
  expect(faults).toEqual([]);
  return plain(table);
}

describe("TOML", () => {
  it.each([
    ["", {}],
    ["# only a comment", {}],
    ['a = "b" # why', { a: "b" }],
    ["a = 'C:\\path'", { a: "C:\\path" }],
    ['a = "tab\\t quote\\" \\u00e4 \\U0001F600"', { a: 'tab\t quote" ä 😀' }],
    ["a = 5\r\nb = -1_000\r\n", { a: 5, b: -1000 }],
    ["a = true\nb=false", { a: true, b: false }],
    ['a = [ "x", # one\n  "y",\n]', { a: ["x", "y"] }],
    ["a = []", { a: [] }],
    ['a = [{ id = "x", n = [1] }, "y"]', { a: [{ id: "x", n: [1] }, "y"] }],
    ["a = {}", { a: {} }],
    ["[t]\na = 1\n[[l]]\nb = 2\n[[l]]\nb = 3", { t: { a: 1 }, l: [{ b: 2 }, { b: 3 }] }],
    ['"quoted key" = 1', { "quoted key": 1 }],
    ["\ufeffa = 1", { a: 1 }],
  ])("reads %j", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each([
    ["a", 1, '"a" must be followed by "="'],
    ["\n\na = ", 3, "the value is missing"],
    ["a = b", 1, "the value is no text in quotes"],
    ["a = 1.5", 1, "whole number"],
    ["a = 2026-11-01", 1, "the value is no text"],
    ["a = 01", 1, "the value is no text"],
    ['a = "b', 1, "closing quote is missing"],
    ['a = """b"""', 1, "several lines"],
    ['a = "\\q"', 1, '"\\q" means nothing'],
    ['a = "\\uD800"', 1, "means nothing"],
    ["a = [1\nb = 2", 2, 'here "," or "]" is expected'],
    ["a = [1,", 1, '"]" is missing'],
    ["a = { b = 1", 1, 'here "," or "}" is expected'],
    ["a = 1 b = 2", 1, '"b" is too much in this line'],
    ["a = 1\na = 2", 2, '"a" is there twice, first in line 1'],
    ["[a]\n[a]", 2, "[a] is there twice"],
    ["a = 1\n[[a]]", 2, "cannot be added"],
    ["[a.b]", 1, "has a dot in it"],
    ["a.b = 1", 1, 'must be followed by "="'],
    ["= 1", 1, "a name is expected"],
  ])("refuses %j in line %i", (text, line, message) => {
    const { faults } = parseToml(text);
    expect(faults[0]).toEqual({ line, message: expect.stringContaining(message) });
  });

  it("lists all faults, each with its line, and reads the rest", () => {
    const { table, faults } = parseToml('a = x\nb = "good"\nc = [1, 2\n  3]\nd = "also good"\ne 5\n');
    expect(faults.map(({ line }) => line)).toEqual([1, 4, 6]);
    expect(plain(table)).toEqual({ b: "good", d: "also good" });
  });

  it("repeats no value in a message: it may be a key that lacks its quotes", () => {
    const key = "dbd_abcdefgh_verysecretverysecret";
    for (const text of [`key = ${key}`, `key = "${key}`, `key = ${key} ${key}`, `key = '${key}' ${key}`]) {
      const { faults } = parseToml(text);
      expect(faults).toHaveLength(1);
      expect(JSON.stringify(faults)).not.toContain("verysecret");
    }
  });

  it("reads back whatever is written in its own way, and never breaks on anything else", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,10}$/);
    const value = fc.oneof(
      fc.string(),
      fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
      fc.boolean(),
      fc.array(fc.string()),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (wanted) => {
        const lines = Object.entries(wanted).map(([key, item]) => `${key} = ${JSON.stringify(item)}`);
        expect(read(lines.join("\n"))).toEqual(wanted);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab=\"'[]{},\n# 1\\u") }), (text) => {
        parseToml(text);
      }),
      { numRuns: 2000 },
    );
  });
});
