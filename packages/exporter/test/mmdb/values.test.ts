import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { appendPointer, pointerSizeBytes } from "@dbdepot/formats/mmdb/pointers";
import fc from "fast-check";
import { Reader, type Response } from "mmdb-lib";
import { describe, expect, it } from "vitest";
import { DataSection } from "../../src/mmdb/data-section.ts";
import { appendWithoutPointers } from "../../src/mmdb/encode.ts";
import type { Value } from "../../src/mmdb/value.ts";
import { buildMmdb } from "./build-mmdb.ts";

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.record({ type: fc.constant("string" as const), value: fc.string({ unit: "grapheme", maxLength: 40 }) }),
  fc.record({ type: fc.constant("double" as const), value: fc.double({ noNaN: true }) }),
  fc.record({ type: fc.constant("float" as const), value: fc.float({ noNaN: true }) }),
  fc.record({ type: fc.constant("uint16" as const), value: fc.nat(0xffff) }),
  fc.record({ type: fc.constant("uint32" as const), value: fc.integer({ min: 0, max: 0xffffffff }) }),
  fc.record({ type: fc.constant("int32" as const), value: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) }),
  fc.record({ type: fc.constant("uint64" as const), value: fc.bigInt(0n, 2n ** 64n - 1n) }),
  fc.record({ type: fc.constant("uint128" as const), value: fc.bigInt(0n, 2n ** 128n - 1n) }),
  fc.record({ type: fc.constant("boolean" as const), value: fc.boolean() }),
  fc.record({ type: fc.constant("bytes" as const), value: fc.uint8Array({ maxLength: 40 }) }),
);
const key = fc.string({ maxLength: 12 }).filter((text) => text !== "__proto__");
const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.record({ type: fc.constant("array" as const), value: fc.array(tie("value"), { maxLength: 4 }) }),
    fc.record({
      type: fc.constant("map" as const),
      value: fc.uniqueArray(fc.tuple(key, tie("value")), { selector: ([name]) => name, maxLength: 5 }),
    }),
  ),
}));

/** The value as a reader returns it. */
function plain(value: Value): unknown {
  if (value.type === "map") return Object.fromEntries(value.value.map(([name, part]) => [name, plain(part)]));
  if (value.type === "array") return value.value.map(plain);
  return value.type === "bytes" ? Buffer.from(value.value) : value.value;
}

function roundTrip(values: Value[]): unknown[] {
  const reader = new Reader<Response>(buildMmdb(values.map((value, i) => [`10.0.0.${i}/32`, value])).file);
  return values.map((_, i) => reader.get(`10.0.0.${i}`));
}

describe("values", () => {
  it("are read back unchanged, nested and repeated", () => {
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1, maxLength: 10 }), (values) => {
        const twice = [...values, ...values.map((value): Value => ({ type: "array", value: [value, value] }))];
        expect(roundTrip(twice)).toEqual(twice.map(plain));
      }),
      { numRuns: 500 },
    );
  });

  it.each([0, 28, 29, 284, 285, 65_820, 65_821, 100_000])("can be a string of %i bytes", (length) => {
    const value: Value = { type: "string", value: "x".repeat(length) };
    expect(roundTrip([{ type: "map", value: [["text", value]] }])).toEqual([{ text: value.value }]);
  });

  it.each([0, 28, 29, 284, 285, 70_000])("can be an array of %i", (length) => {
    const value: Value = { type: "array", value: Array.from({ length }, (_, i) => ({ type: "uint32", value: i })) };
    expect(roundTrip([value])).toEqual([plain(value)]);
  });

  it("are refused if the format cannot store them", () => {
    const tooLong: Value = { type: "string", value: "x".repeat(16_843_037) };
    expect(() => new DataSection().store(tooLong)).toThrow("at most 16843036");
  });
});

describe("the data section", () => {
  const text = (value: string): Value => ({ type: "string", value });
  const person = (name: string, town: string): Value => ({
    type: "map",
    value: [
      ["name", text(name)],
      ["home", { type: "map", value: [["town", text(town)]] }],
    ],
  });

  it("stores equal records once", () => {
    const section = new DataSection();
    const first = section.store(person("Ada Lovelace", "London"));
    const size = section.sizeBytes;
    expect([section.store(person("Ada Lovelace", "London")), section.sizeBytes]).toEqual([first, size]);
    expect(section.store(person("Ada Lovelace", "Paris"))).not.toBe(first);
  });

  it("stores repeated strings and maps once, wherever they are", () => {
    const section = new DataSection();
    for (let i = 0; i < 100; i++) section.store(person(`Number ${i}`, "Llanfairpwllgwyngyll"));
    section.store(text("Llanfairpwllgwyngyll"));
    expect(section.view().toString("latin1").split("Llanfairpwllgwyngyll").length - 1).toBe(1);
    expect(section.view().toString("latin1").split("town").length - 1).toBe(1);
  });

  it("never confuses two different values", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyValue, { selector: (value) => encoded(value).toString("hex"), maxLength: 30 }),
        (values) => {
          const section = new DataSection();
          const offsets = values.map((value) => section.store(value));
          expect(new Set(offsets).size).toBe(values.length);
          expect(values.map((value) => section.store(value))).toEqual(offsets);
        },
      ),
    );
  });

  it("distinguishes values with the same hash", () => {
    const section = new DataSection();
    // A search found these two, whose encodings have the same 32-bit FNV-1a hash.
    expect(section.store(text("pydaaibz"))).not.toBe(section.store(text("fzhpfpys")));
  });

  it("uses pointers of all sizes", () => {
    const filler = Array.from({ length: 40 }, (_, i): Value => text(`${i}`.repeat(8000)));
    const far: Value[] = [
      ...filler,
      text("a string beyond the reach"),
      { type: "array", value: [text("a string beyond the reach")] },
    ];
    const section = new DataSection();
    for (const value of far) section.store(value);
    expect(section.sizeBytes).toBeGreaterThan(2 ** 19 + 2 ** 11);
    expect(roundTrip(far)).toEqual(far.map(plain));
  });

  it.each([0, 2047, 2048, 526_335, 526_336, 134_744_063, 134_744_064, 2 ** 32 - 1])("points to %i", (offset) => {
    const out = new ByteList(8);
    appendPointer(out, offset);
    expect(out.length).toBe(pointerSizeBytes(offset));
    expect(decodePointer(out.view())).toBe(offset);
  });
});

function encoded(value: Value): Buffer {
  const out = new ByteList(64);
  appendWithoutPointers(out, value);
  return out.view();
}

/** Follows the section "Pointers" of the format's specification. */
function decodePointer(bytes: Buffer): number {
  const control = bytes[0] as number;
  expect(control >> 5).toBe(1);
  const size = (control >> 3) & 3;
  if (size === 3) return bytes.readUInt32BE(1);
  return (control & 7) * 256 ** (size + 1) + bytes.readUIntBE(1, size + 1) + ([0, 2048, 526_336][size] as number);
}
