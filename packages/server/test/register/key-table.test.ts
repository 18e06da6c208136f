import type { Scope } from "@dbdepot/contract/shared/scopes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Credential } from "../../src/domain/access/credential.ts";
import { hashSecret, type SecretHash } from "../../src/domain/access/secret.ts";
import { newId } from "../../src/platform/primitives/ids.ts";
import { KeyTable } from "../../src/register/keys.ts";
import { day } from "../domain/licences/terms.ts";

function credential(hash: SecretHash, but: Partial<Credential> = {}): Credential {
  return {
    hash,
    id: newId(day(0)),
    organizationId: newId(day(0)),
    scopes: ["db.download"],
    cidrs: [],
    expires: null,
    revoked: null,
    secretExpires: null,
    ...but,
  };
}

/** A hash that differs from "aaa…" in one digit. */
function differingAt(digit: number, value: string): SecretHash {
  return `${"a".repeat(digit)}${value}${"a".repeat(63 - digit)}` as SecretHash;
}

describe("KeyTable", () => {
  it("returns what was stored", () => {
    const table = new KeyTable();
    const all = [
      credential(hashSecret("0")),
      credential(hashSecret("1"), { organizationId: null, scopes: ["operator.read", "operator.write"] }),
      credential(hashSecret("2"), { scopes: [], cidrs: ["192.0.2.0/24", "2001:db8::/32"] }),
      credential(hashSecret("3"), { expires: day(3), revoked: day(4), secretExpires: day(5) }),
      credential(hashSecret("4"), { id: "00000000-0000-0000-0000-000000000000", expires: new Date(0) }),
      credential(hashSecret("5"), { id: "ffffffff-ffff-ffff-ffff-ffffffffffff", secretExpires: new Date(8.64e15) }),
    ];
    for (const each of all) table.set(each);
    expect(all.map(({ hash }) => table.get(hash))).toEqual(all);
    expect(table.get(hashSecret("another"))).toBeUndefined();
    expect([table.has(hashSecret("0")), table.has(hashSecret("another"))]).toEqual([true, false]);
  });

  it("compares every digit of a hash", () => {
    const table = new KeyTable();
    table.set(credential(differingAt(0, "a")));
    for (let digit = 0; digit < 64; digit += 1) expect(table.get(differingAt(digit, "b"))).toBeUndefined();
    const others = Array.from({ length: 64 }, (_, digit) => credential(differingAt(digit, "b")));
    for (const other of others) table.set(other);
    expect(others.map(({ hash }) => table.get(hash))).toEqual(others);
  });

  it("behaves like a Map", () => {
    // Few hashes that start with few prefixes, so that many of them collide.
    const hash = fc
      .tuple(fc.constantFrom("00000000", "01000000", "ffffffff"), fc.integer({ min: 0, max: 20 }))
      .map(([start, rest]) => (start + rest.toString(16).padStart(56, "0")) as SecretHash);
    const time = fc.option(fc.date({ noInvalidDate: true }), { nil: null });
    const value: fc.Arbitrary<Credential> = fc.record({
      hash,
      id: fc.uuid(),
      organizationId: fc.option(fc.uuid(), { nil: null }),
      scopes: fc.subarray<Scope>(["db.download", "apikeys.manage", "operator.read"]),
      cidrs: fc.subarray(["10.0.0.0/8", "192.0.2.0/24", "2001:db8::/32"]),
      expires: time,
      revoked: time,
      secretExpires: time,
    });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), (credentials) => {
        const [table, map] = [new KeyTable(), new Map<SecretHash, Credential>()];
        for (const each of credentials) {
          expect(table.has(each.hash)).toBe(map.has(each.hash));
          table.set(each);
          map.set(each.hash, each);
        }
        for (const [at, each] of map) expect(table.get(at)).toEqual(each);
      }),
    );
  });

  it("finds every key after growing several times", () => {
    const table = new KeyTable();
    const all = Array.from({ length: 20_000 }, (_, i) =>
      credential(hashSecret(`secret ${i}`), { organizationId: `organization ${i % 100}`, expires: day(i % 1000) }),
    );
    for (const each of all) table.set(each);
    expect(all.filter(({ hash, id }) => table.get(hash)?.id !== id)).toEqual([]);
    expect(table.get(hashSecret("secret 12345"))).toEqual(all[12_345]);
    const unknown = all.map((_, i) => hashSecret(`unknown ${i}`));
    expect(unknown.filter((hash) => table.has(hash))).toEqual([]);
  });
});
