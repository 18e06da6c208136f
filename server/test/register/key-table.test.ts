import { randomBytes } from "node:crypto";
import type { Scope } from "@dbdepot/contract/scopes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/ids.ts";
import { hashSecret, type SecretHash } from "../../src/keys/secret.ts";
import type { KnownKey } from "../../src/keys/store.ts";
import { KeyTable } from "../../src/register/key-table.ts";
import { day } from "../licences/terms.ts";

function known(but: Partial<KnownKey["key"]> = {}, secretExpires: Date | null = null): KnownKey {
  const key = { id: newId(day(0)), organizationId: newId(day(0)), expires: null, revoked: false };
  return { key: { ...key, scopes: ["db.download"], cidrs: [], ...but }, secret: { expires: secretExpires } };
}

/** As plain objects, without its place: the id is no property of its own. */
function stripped(found: KnownKey | undefined): KnownKey | undefined {
  return found && { key: { ...found.key, id: found.key.id }, secret: found.secret };
}

/** Hashes that share all digits but one. */
function alikeBut(digit: number, value: string): SecretHash {
  return `${"a".repeat(digit)}${value}${"a".repeat(63 - digit)}` as SecretHash;
}

describe("the table of keys", () => {
  it("gives back what was put in", () => {
    const table = new KeyTable();
    const all = [
      known(),
      known({ organizationId: null, scopes: ["operator.read", "operator.write"] }),
      known({ scopes: [], cidrs: ["192.0.2.0/24", "2001:db8::/32"] }),
      known({ expires: day(3), revoked: true }, day(4)),
      known({ id: "00000000-0000-0000-0000-000000000000", expires: new Date(0) }),
      known({ id: "ffffffff-ffff-ffff-ffff-ffffffffffff" }, new Date(8.64e15)),
      known({ id: "01234567-89ab-cdef-fedc-ba9876543210" }),
    ];
    const hashes = all.map((_, i) => hashSecret(`secret ${i}`));
    for (const [i, each] of all.entries()) table.put(hashes[i] as SecretHash, each);
    const found = hashes.map((hash) => table.get(hash));
    expect(found.map(stripped)).toEqual(all);
    expect(table.size).toBe(all.length);
  });

  it("knows nothing else", () => {
    const table = new KeyTable();
    expect(table.get(hashSecret("secret"))).toBeUndefined();
    table.put(hashSecret("secret"), known());
    expect(table.get(hashSecret("another"))).toBeUndefined();
  });

  it("compares every digit of a hash", () => {
    const table = new KeyTable();
    table.put(alikeBut(0, "a"), known());
    for (let digit = 0; digit < 64; digit += 1) expect(table.get(alikeBut(digit, "b"))).toBeUndefined();
    const others = Array.from({ length: 64 }, (_, digit) => known({ cidrs: [`192.0.2.${digit}/32`] }));
    for (const [digit, other] of others.entries()) table.put(alikeBut(digit, "b"), other);
    expect(others.map((_, digit) => stripped(table.get(alikeBut(digit, "b"))))).toEqual(others);
  });

  it("puts a change in the place of what was known, and adds nothing to what is known", () => {
    const table = new KeyTable();
    const hash = hashSecret("secret");
    table.put(hash, known({ scopes: ["db.download"], expires: day(1) }, day(2)));
    const changed = known({ organizationId: null, scopes: [], cidrs: ["10.0.0.0/8"], revoked: true });
    table.put(hash, changed);
    expect(stripped(table.get(hash))).toEqual(changed);
    table.add(hash, known());
    expect(stripped(table.get(hash))).toEqual(changed);
    table.add(hashSecret("another"), changed);
    expect(stripped(table.get(hashSecret("another")))).toEqual(changed);
    expect(table.size).toBe(2);
  });

  it("is what a map is, whatever is put, added and asked for", () => {
    // Few hashes, and among them such as begin alike: they meet in the same slots.
    const hash = fc
      .tuple(fc.constantFrom("00000000", "0000000f", "000000ff", "ffffffff"), fc.integer({ min: 0, max: 20 }))
      .map(([start, rest]) => (start + rest.toString(16).padStart(56, "0")) as SecretHash);
    const time = fc.option(fc.date({ noInvalidDate: true }), { nil: null });
    const value = fc.record({
      key: fc.record({
        id: fc.uuid(),
        organizationId: fc.option(fc.uuid(), { nil: null }),
        scopes: fc.subarray<Scope>(["db.download", "apikeys.manage", "operator.read"]),
        cidrs: fc.subarray(["10.0.0.0/8", "192.0.2.0/24", "2001:db8::/32"]),
        expires: time,
        revoked: fc.boolean(),
      }),
      secret: fc.record({ expires: time }),
    });
    const steps = fc.array(fc.tuple(fc.constantFrom("put", "add"), hash, value), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (all) => {
        const [table, map] = [new KeyTable(), new Map<SecretHash, KnownKey>()];
        for (const [step, at, to] of all) {
          if (step === "put" || !map.has(at)) map.set(at, to);
          if (step === "put") table.put(at, to);
          else table.add(at, to);
          expect(stripped(table.get(at))).toEqual(map.get(at));
        }
        expect(table.size).toBe(map.size);
        for (const [at, to] of map) expect(stripped(table.get(at))).toEqual(to);
      }),
    );
  });

  it("grows: 100,000 keys are all found again, and no stranger is", () => {
    const table = new KeyTable();
    const hashes = Array.from({ length: 100_000 }, () => randomBytes(32).toString("hex") as SecretHash);
    const all = hashes.map((_, i) => known({ organizationId: `organization ${i % 100}`, expires: day(i % 1000) }));
    for (const [i, hash] of hashes.entries()) table.put(hash, all[i] as KnownKey);
    expect(table.size).toBe(hashes.length);
    expect(hashes.every((hash, i) => table.get(hash)?.key.id === all[i]?.key.id)).toBe(true);
    expect(hashes.every((hash, i) => table.get(hash)?.key.expires?.getTime() === day(i % 1000).getTime())).toBe(true);
    const strangers = Array.from({ length: 10_000 }, () => randomBytes(32).toString("hex") as SecretHash);
    expect(strangers.filter((hash) => table.get(hash))).toEqual([]);
  });

  it("has what it had when room was made for more", () => {
    const table = new KeyTable();
    const all = Array.from({ length: 1000 }, () => known());
    for (const [i, each] of all.entries()) {
      if (i === 500) table.reserve(5000);
      if (i === 900) table.reserve(1);
      table.put(hashSecret(`secret ${i}`), each);
    }
    expect(all.map((_, i) => stripped(table.get(hashSecret(`secret ${i}`))))).toEqual(all);
  });

  it("gives the uses of its keys out once, in whole seconds, so many at a time, all in turn", () => {
    const table = new KeyTable();
    expect(table.takeUses(9)).toEqual([]);
    const all = Array.from({ length: 1000 }, () => known());
    for (const [i, each] of all.entries()) table.put(hashSecret(`secret ${i}`), each);
    const use = (i: number, ms: number) => table.get(hashSecret(`secret ${i}`))?.place?.noteUse(ms);
    const idOf = (i: number) => all[i]?.key.id ?? "";
    for (const i of [999, 3, 500, 501, 3]) use(i, 5000 + i);
    const first = table.takeUses(2);
    expect(first).toHaveLength(2);
    use(3, 77_999);
    const rest = table.takeUses(9);
    expect(table.takeUses(9)).toEqual([]);
    // Whether the search had passed it when it was used again is not ours to know: its newest use comes last.
    const uses = new Map([...first, ...rest]);
    expect(uses).toEqual(
      new Map([
        [idOf(999), 5000],
        [idOf(3), 77_000],
        [idOf(500), 5000],
        [idOf(501), 5000],
      ]),
    );
  });

  it("gives out every use, however many there are, and those of keys that moved as it grew", () => {
    const table = new KeyTable();
    const all = Array.from({ length: 20_000 }, () => known());
    const taken = new Map<string, number>();
    const take = () => {
      const uses = table.takeUses(50);
      for (const [id, ms] of uses) taken.set(id, ms);
      return uses.length;
    };
    for (const [i, each] of all.entries()) {
      table.put(hashSecret(`secret ${i}`), each);
      table.get(hashSecret(`secret ${i}`))?.place?.noteUse(i * 1000 + 1000);
      if (i % 100 === 0) take();
    }
    while (take() > 0);
    expect(taken).toEqual(new Map(all.map(({ key }, i) => [key.id, i * 1000 + 1000])));
  });

  it("forgets no end that a key has had, and has none that was taken from it", () => {
    const table = new KeyTable();
    const hash = hashSecret("secret");
    for (const [expires, secretExpires] of [
      [day(1), null],
      [null, day(2)],
      [null, null],
      [day(3), day(4)],
    ] as const) {
      const changed = known({ expires, revoked: expires !== null }, secretExpires);
      table.put(hash, changed);
      expect(stripped(table.get(hash))).toEqual(changed);
    }
  });
});
