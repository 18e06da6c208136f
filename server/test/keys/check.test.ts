import { isOperatorScope, SCOPES } from "@dbdepot/contract/scopes";
import { describe, expect, it } from "vitest";
import { checkKey, KEY_PROBLEMS, type KeyUse } from "../../src/keys/check.ts";
import type { Key } from "../../src/keys/key.ts";
import { day } from "../licences/terms.ts";

const now = day(50);
const good: Key = {
  id: "0193a000-0000-7000-8000-0000000000c1",
  organizationId: "0193a000-0000-7000-8000-000000000001",
  name: "ci",
  prefix: "dbd_aaaaaaaa",
  scopes: ["db.download"],
  cidrs: ["192.0.2.0/24"],
  expires: day(60),
  created: day(0),
  lastUsed: null,
  revoked: null,
};
const use: KeyUse = { secretExpires: null, address: "192.0.2.7", scope: "db.download", now };

describe("a known key", () => {
  it("opens the door when nothing is amiss", () => {
    expect(checkKey(good, use)).toBeUndefined();
    expect(checkKey({ ...good, cidrs: [], expires: null }, { ...use, address: "198.51.100.1" })).toBeUndefined();
    expect(checkKey(good, { ...use, secretExpires: day(51) })).toBeUndefined();
  });

  // Each key has, besides its own fault, all those that are looked at later: the first one is the cause.
  const faults: [string, Partial<Key>, Partial<KeyUse>][] = [
    ["revoked", { revoked: day(40) }, {}],
    ["expired", { expires: day(49) }, {}],
    ["rotated_out", {}, { secretExpires: day(49) }],
    ["outside_cidrs", {}, { address: "198.51.100.1" }],
    ["no_organization", { organizationId: null }, {}],
    ["lacks_scope", { scopes: [] }, {}],
  ];
  it.each(faults.map(([problem], i) => [problem, faults.slice(i)] as const))("is refused as %s", (problem, rest) => {
    const key = Object.assign({}, good, ...rest.map(([, change]) => change));
    const how = Object.assign({}, use, ...rest.map(([, , change]) => change));
    expect(checkKey(key, how)).toBe(problem);
  });

  it.each([
    ["a millisecond before its end", -1, undefined],
    ["at its end", 0, "expired"],
    ["a millisecond after", 1, "expired"],
  ])("%s", (_, ms, problem) => {
    expect(checkKey({ ...good, expires: new Date(now.getTime() - ms) }, use)).toBe(problem);
  });

  it("ends an old secret's overlap at its very moment", () => {
    expect(checkKey(good, { ...use, secretExpires: now })).toBe("rotated_out");
    expect(checkKey(good, { ...use, secretExpires: new Date(now.getTime() + 1) })).toBeUndefined();
  });

  it("is not asked for its place when that is not the question", () => {
    expect(checkKey(good, { ...use, address: undefined })).toBeUndefined();
  });

  it("can do what its scopes say and nothing else", () => {
    for (const held of SCOPES) {
      for (const scope of SCOPES) {
        // The operator's scopes are for keys of no organization.
        const organizationId = isOperatorScope(scope) ? null : good.organizationId;
        expect(checkKey({ ...good, organizationId, scopes: [held] }, { ...use, scope })).toBe(
          held === scope ? undefined : "lacks_scope",
        );
      }
    }
  });

  it("of no organization can do the operator's work only", () => {
    const operators: Key = { ...good, organizationId: null, scopes: [...SCOPES] };
    expect(checkKey(operators, { ...use, scope: "operator.read" })).toBeUndefined();
    expect(checkKey(operators, { ...use, scope: "builds.publish" })).toBeUndefined();
    expect(checkKey(operators, { ...use, scope: "apikeys.manage" })).toBe("no_organization");
  });

  it("has its problems in words of one line", () => {
    for (const words of Object.values(KEY_PROBLEMS)) expect(words).toMatch(/^[^\n]{5,}$/);
  });
});
