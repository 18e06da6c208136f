import { expect, it } from "vitest";
import {
  isEmail,
  isPseudonym,
  newPseudonym,
  requireEmail,
  requirePersonName,
} from "../../../src/domain/access/person.ts";
import { managesRole, scopesOf } from "../../../src/domain/access/roles.ts";
import { Token } from "../../../src/domain/access/token.ts";

it.each(["ada@acme.example", "ada+news@acme.example", `${"a".repeat(241)}@acme.example`])("accepts %s", (email) => {
  expect(isEmail(email)).toBe(true);
});

it.each([
  "",
  "ada",
  "@acme.example",
  "ada@",
  "ada@acme@example",
  "ada acme@example",
  "Ada <ada@acme.example>",
  "ada@acme.example, bob@acme.example",
  "ada@acme.example\nBcc: bob@acme.example",
  `${"a".repeat(242)}@acme.example`,
])("refuses %j as an address", (email) => {
  expect(isEmail(email)).toBe(false);
});

it("compares addresses in lower case and without spaces around them", () => {
  expect(requireEmail(" Ada@Acme.Example ")).toBe("ada@acme.example");
  expect(() => requireEmail("Ada")).toThrow('"Ada" is not an e-mail address');
});

it("accepts names of one line and 100 characters", () => {
  expect(requirePersonName(` ${"😀".repeat(100)} `)).toBe("😀".repeat(100));
  expect(requirePersonName("")).toBe("");
  for (const name of ["😀".repeat(101), "Ada\nLovelace", "\ud83d"])
    expect(() => requirePersonName(name)).toThrow(/one line/);
});

it("recognizes erased people only", () => {
  const pseudonym = newPseudonym();
  for (const text of [pseudonym, `account:${pseudonym}`]) expect(isPseudonym(text)).toBe(true);
  for (const text of [`key:${pseudonym}`, `${pseudonym}0`, pseudonym.slice(0, -1), "person-ada", "ada@acme.example"]) {
    expect(isPseudonym(text)).toBe(false);
  }
});

it("recognizes tokens by their length and alphabet", () => {
  const text = Token.generate().reveal();
  expect(Token.parse(text)?.reveal()).toBe(text);
  for (const other of ["", text.slice(1), `${text}a`, `+${text.slice(1)}`, `${text}\n`])
    expect(Token.parse(other)).toBeUndefined();
});

it("lets only operators change data, and admins manage the people and keys of organizations", () => {
  expect(managesRole("operator", "operator")).toBe(true);
  expect([managesRole("admin", "admin"), managesRole("admin", "viewer"), managesRole("admin", "operator")]).toEqual([
    true,
    true,
    false,
  ]);
  for (const viewer of ["viewer", "operator_viewer"] as const) {
    for (const other of ["viewer", "admin", "operator"] as const) expect(managesRole(viewer, other)).toBe(false);
    expect(scopesOf(viewer).filter((scope) => /write|publish|manage/.test(scope))).toEqual([]);
  }
  expect(scopesOf("admin").filter((scope) => /operator|publish/.test(scope))).toEqual([]);
});
