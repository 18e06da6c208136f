import { describe, expect, it } from "vitest";
import { parseEnvFile } from "../../src/settings/env-file.ts";

const variables = (text: string) => parseEnvFile(text, "x.env").variables;
const warnings = (text: string) => parseEnvFile(text, "x.env").warnings;

describe("an env file", () => {
  it.each([
    ["A=#0f766e", "#0f766e"],
    ["A=pa#ss#word", "pa#ss#word"],
    ["A=https://vendor.example/#terms", "https://vendor.example/#terms"],
    ["A=8080 # the port", "8080"],
    ["A=\t8080\t# the port\r", "8080"],
    ["A= # not set", ""],
    ["A=", ""],
    ['A="Acme #1"  # our name', "Acme #1"],
    ["A='it is \"quoted\"'", 'it is "quoted"'],
    ["A=`#`", "#"],
    ['A="one\\ntwo"', "one\ntwo"],
    ["A='one\nB=2'", "one\nB=2"],
    ["export A = 1 ", "1"],
    ['A=say "x"', 'say "x"'],
    ["A=a=b", "a=b"],
    ["A=1\nA=2", "2"],
    ["# A=1\n\nA=2\n", "2"],
  ])("with %j has the value %j", (text, value) => {
    expect(variables(text)).toEqual({ A: value });
    expect(warnings(text)).toEqual([]);
  });

  it("has the lines after a value with #", () => {
    expect(variables("A=#1\nB='#2'\n  C=3 # 4\n#D=5\nE=`6\n7`\nF=8")).toEqual({
      A: "#1",
      B: "#2",
      C: "3",
      E: "6\n7",
      F: "8",
    });
  });

  it.each([
    ["A=Acme #1", "Acme"],
    ["A= #0f766e", ""],
    ['A="Acme" Data', "Acme"],
    ["A='it's'", "it"],
  ])("with %j warns that the end of the value is ignored", (text, value) => {
    expect(variables(`X=1\n\n${text}\n`)).toEqual({ X: "1", A: value });
    expect(warnings(`X=1\n\n${text}\n`)).toEqual([
      "x.env: line 3: the end of A is ignored. If it belongs to the value, quote all of it",
    ]);
  });
});
