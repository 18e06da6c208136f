import { isOperatorScope, SCOPES } from "@dbdepot/contract/shared/scopes";
import { describe, expect, it } from "vitest";
import { accountIdOf } from "../../../src/domain/access/account-id.ts";
import { authenticate, checkKey, KEY_PROBLEMS, type KeyUse } from "../../../src/domain/access/authenticate-key.ts";
import { PlainKey } from "../../../src/domain/access/secret.ts";
import type { Key } from "../../../src/domain/keys/key.ts";
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

describe("checkKey", () => {
  it("accepts a valid key", () => {
    expect(checkKey(good, use)).toBeUndefined();
    expect(checkKey({ ...good, cidrs: [], expires: null }, { ...use, address: "198.51.100.1" })).toBeUndefined();
    expect(checkKey(good, { ...use, secretExpires: day(51) })).toBeUndefined();
    expect(checkKey(good, { ...use, account: String(accountIdOf(good.organizationId ?? "")) })).toBeUndefined();
  });

  // Each key also has every problem that is checked later, so this tests the order of the checks.
  const problems: [string, Partial<Key>, Partial<KeyUse>][] = [
    ["revoked", { revoked: day(40) }, {}],
    ["expired", { expires: day(49) }, {}],
    ["rotated_out", {}, { secretExpires: day(49) }],
    ["outside_cidrs", {}, { address: "198.51.100.1" }],
    ["no_organization", { organizationId: null }, {}],
    ["wrong_account", {}, { account: "12345" }],
    ["lacks_scope", { scopes: [] }, {}],
  ];
  it.each(problems.map(([problem], i) => [problem, problems.slice(i)] as const))(
    "refuses a key as %s",
    (problem, rest) => {
      const key = Object.assign({}, good, ...rest.map(([, change]) => change));
      const keyUse = Object.assign({}, use, ...rest.map(([, , change]) => change));
      expect(checkKey(key, keyUse)).toBe(problem);
    },
  );

  it.each([
    ["a millisecond before it expires", -1, undefined],
    ["when it expires", 0, "expired"],
    ["a millisecond after it expires", 1, "expired"],
  ])("checks the expiry of a key %s", (_, ms, problem) => {
    expect(checkKey({ ...good, expires: new Date(now.getTime() - ms) }, use)).toBe(problem);
  });

  it("refuses an old secret as soon as its overlap ends", () => {
    expect(checkKey(good, { ...use, secretExpires: now })).toBe("rotated_out");
    expect(checkKey(good, { ...use, secretExpires: new Date(now.getTime() + 1) })).toBeUndefined();
  });

  it("does not check the address if none is given", () => {
    expect(checkKey(good, { ...use, address: undefined })).toBeUndefined();
  });

  it("accepts exactly the scopes of the key, and apikeys.manage for listing keys", () => {
    for (const held of SCOPES) {
      for (const scope of SCOPES) {
        // Operator scopes require a key without an organization.
        const organizationId = isOperatorScope(scope) ? null : good.organizationId;
        expect(checkKey({ ...good, organizationId, scopes: [held] }, { ...use, scope })).toBe(
          held === scope || (held === "apikeys.manage" && scope === "apikeys.read") ? undefined : "lacks_scope",
        );
      }
    }
  });

  it("accepts a key without an organization for operator scopes only", () => {
    const operatorKey: Key = { ...good, organizationId: null, scopes: [...SCOPES] };
    expect(checkKey(operatorKey, { ...use, scope: "operator.read" })).toBeUndefined();
    expect(checkKey(operatorKey, { ...use, scope: "builds.publish" })).toBeUndefined();
    expect(checkKey(operatorKey, { ...use, scope: "apikeys.manage" })).toBe("no_organization");
  });

  it("refuses operator scopes to an organization's key, even if it has them", () => {
    expect(checkKey({ ...good, scopes: [...SCOPES] }, { ...use, scope: "operator.read" })).toBe("lacks_scope");
    expect(checkKey({ ...good, organizationId: null }, { ...use, account: "12345" })).toBe("no_organization");
  });

  it("accepts every valid key where any will do", () => {
    expect(checkKey({ ...good, organizationId: null, scopes: [] }, { ...use, scope: "any key" })).toBeUndefined();
    expect(checkKey({ ...good, revoked: day(1) }, { ...use, scope: "any key" })).toBe("revoked");
  });

  it("has a description of one line for each problem", () => {
    for (const description of Object.values(KEY_PROBLEMS)) expect(description).toMatch(/^[^\n]{5,}$/);
  });
});

describe("authenticate", () => {
  const plain = PlainKey.generate();
  const known = { ...good, hash: plain.hash(), secretExpires: null };
  const found = authenticate({ key: () => known }, plain.reveal(), use);

  it("returns the caller, or the problem with the key that has it", async () => {
    expect(found).toEqual({ caller: { key: known, prefix: plain.prefix, secretExpires: null } });
    expect(await authenticate({ key: async () => known }, plain.reveal(), use)).toEqual(found);
    const revoked = { ...known, revoked: day(1) };
    expect(authenticate({ key: () => revoked }, plain.reveal(), use)).toEqual({ problem: "revoked", key: revoked });
    const rotated = { ...known, secretExpires: day(49) };
    expect(authenticate({ key: () => rotated }, plain.reveal(), use)).toMatchObject({ problem: "rotated_out" });
  });

  it("refuses missing, mistyped and unknown keys", async () => {
    const lookup = { key: async () => undefined };
    expect(authenticate(lookup, undefined, use)).toEqual({ problem: "missing" });
    expect(authenticate({ key: () => known }, `${plain.reveal()}a`, use)).toEqual({ problem: "malformed" });
    expect(await authenticate(lookup, plain.reveal(), use)).toEqual({ problem: "unknown" });
  });
});
