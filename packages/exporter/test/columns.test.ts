import { describe, expect, it } from "vitest";
import { parseColumnSpecs } from "../src/columns/column-spec.ts";
import { type ColumnType, parseCell, toJson } from "../src/columns/column-type.ts";
import { TypeGuess } from "../src/columns/infer.ts";
import { findNetworkKey } from "../src/columns/network-key.ts";

describe("TypeGuess", () => {
  it.each<[ColumnType, string[]]>([
    ["string", []],
    ["string", ["", ""]],
    ["boolean", ["true", "", "False"]],
    ["uint32", ["0", "4294967295", ""]],
    ["uint64", ["0", "4294967296"]],
    ["uint128", ["18446744073709551616"]],
    ["string", ["340282366920938463463374607431768211456"]],
    ["int32", ["-1", "2147483647"]],
    ["double", ["-1", "2147483648"]],
    ["double", ["-2147483649"]],
    ["string", ["-9007199254740993"]],
    ["double", ["1", "0.5", "-0.25"]],
    ["string", ["9007199254740993", "0.5"]],
    ["string", ["1", "x"]],
    ["string", ["true", "1"]],
    ["string", ["007"]],
    ["string", ["-0"]],
    ["string", ["+1"]],
    ["string", ["1e5"]],
    ["string", ["AS64496"]],
    ["ip", ["1.2.3.4", "2001:db8::1"]],
    ["cidr", ["1.2.3.4", "2001:db8::/32"]],
    ["string", ["1.2.3.4", "example.net"]],
  ])("infers %s from %j", (type, cells) => {
    const guess = new TypeGuess();
    for (const cell of cells) guess.add(cell);
    expect(guess.type()).toBe(type);
    for (const cell of cells) if (cell !== "") expect(parseCell(type, cell)).toBeDefined();
  });
});

describe("parseCell", () => {
  it.each<[ColumnType, string, unknown]>([
    ["string", " a ", " a "],
    ["boolean", "T", true],
    ["boolean", "0", false],
    ["boolean", "yes", undefined],
    ["uint16", "65535", 65_535],
    ["uint16", "65536", undefined],
    ["uint32", "-1", undefined],
    ["uint32", "1.0", undefined],
    ["uint32", "", undefined],
    ["int32", "-2147483648", -2_147_483_648],
    ["int32", "-2147483649", undefined],
    ["uint64", "9007199254740991", 9_007_199_254_740_991],
    ["uint64", "18446744073709551615", "18446744073709551615"],
    ["uint128", "340282366920938463463374607431768211456", undefined],
    ["double", "1e3", 1000],
    ["double", "1e999", undefined],
    ["double", "NaN", undefined],
    ["float", "0.1", Math.fround(0.1)],
    ["float", "1e39", undefined],
    ["bytes", "00Ff", "00ff"],
    ["bytes", "0", undefined],
    ["ip", "::1", "::1"],
    ["ip", "10.0.0.0/8", undefined],
    ["cidr", "10.0.0.0/8", "10.0.0.0/8"],
  ])("parses the %s %j as %j", (type, text, expected) => {
    const value = parseCell(type, text);
    expect(value === undefined ? undefined : toJson(value)).toEqual(expected);
  });
});

describe("parseColumnSpecs", () => {
  const specs = [
    { name: "network", type: "network" },
    { name: "asn", type: "uint32", description: "Who announces it: a number" },
    { name: "note", description: "Anything" },
  ];

  it("reads lines", () => {
    expect(
      parseColumnSpecs("# columns\nnetwork:network\r\n\nasn : uint32 : Who announces it: a number\nnote::Anything\n"),
    ).toEqual(specs);
  });

  it("reads JSON", () => {
    expect(parseColumnSpecs(JSON.stringify(specs))).toEqual(specs);
  });

  it.each([
    ["asn:integer", 'columns, line 1: "integer" is not a type; choose from string, boolean'],
    [":string", "columns, line 1: a column needs a name"],
    ['[{"name":"a","type":"uint8"}]', 'columns, entry 1: "uint8" is not a type'],
    ['[{"name":"a","description":1}]', "columns, entry 1: the description must be a string"],
    ["[7]", "columns, entry 1: a column needs a name"],
    ["[", "columns: not valid JSON"],
  ])("refuses %s", (text, fault) => {
    expect(() => parseColumnSpecs(text)).toThrow(fault);
  });
});

describe("findNetworkKey", () => {
  it.each([
    ["by name", ["asn", "Network"], "", { network: 1 }],
    ["by the names of a range", ["end_ip", "start_ip"], "", { first: 1, last: 0 }],
    ["network before range", ["start_ip", "end_ip", "cidr"], "", { network: 2 }],
    ["range before address", ["ip", "start_ip", "end_ip"], "", { first: 1, last: 2 }],
    ["as a lone address", ["name", "ip"], "", { network: 1 }],
    ["by type", ["network", "block"], "block:network", { network: 1 }],
    ["by the types of a range", ["a", "b", "network"], "a:first_ip\nb:last_ip", { first: 0, last: 1 }],
    ["not where another type is given", ["address", "name"], "address:string", undefined],
    ["though its value type is given", ["name", "ip"], "ip:ip", { network: 1 }],
    ["nowhere", ["asn", "name", "-"], "", undefined],
    ["not with half a range", ["start_ip", "name"], "", undefined],
  ])("finds the network of a row: %s", (_, header, specs, expected) => {
    expect(findNetworkKey(header, parseColumnSpecs(specs))).toEqual(expected);
  });
});
