import { Console } from "node:console";
import { createHash } from "node:crypto";
import { Writable } from "node:stream";
import { format, inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainKey } from "../../../src/domain/access/secret.ts";

const FORMAT = /^dbd_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/;
const anyKey = fc.constant(null).map(() => PlainKey.generate());

describe("PlainKey", () => {
  it("has the documented format, with the part before the second _ as its prefix", () => {
    for (let i = 0; i < 200; i += 1) {
      const key = PlainKey.generate();
      expect(key.reveal()).toMatch(FORMAT);
      expect(key.prefix).toBe(key.reveal().split("_").slice(0, 2).join("_"));
    }
  });

  it("is different each time, in its prefix and its secret", () => {
    const keys = Array.from({ length: 500 }, () => PlainKey.generate());
    expect(new Set(keys.map((key) => key.prefix)).size).toBe(500);
    expect(new Set(keys.map((key) => key.reveal().slice(13))).size).toBe(500);
  });

  it("uses the whole alphabet", () => {
    const seen = new Set<string>();
    for (let i = 0; i < 200; i += 1)
      for (const character of PlainKey.generate().reveal().slice(13, 45)) seen.add(character);
    expect(seen.size).toBe(62);
  });

  it("parses a generated key", () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const parsed = PlainKey.parse(key.reveal());
        expect(parsed?.reveal()).toBe(key.reveal());
        expect(parsed?.prefix).toBe(key.prefix);
        expect(parsed?.hash()).toBe(key.hash());
      }),
    );
  });

  it("hashes the whole key with SHA-256", () => {
    const key = PlainKey.generate();
    expect(key.hash()).toBe(createHash("sha256").update(key.reveal()).digest("hex"));
  });

  it("rejects a key with any character changed", () => {
    const anyCharacter = fc.oneof(fc.stringMatching(/^[0-9A-Za-z_]$/), fc.string({ minLength: 1, maxLength: 1 }));
    fc.assert(
      fc.property(anyKey, fc.nat({ max: 50 }), anyCharacter, (key, at, character) => {
        const text = key.reveal();
        fc.pre(text[at] !== character);
        expect(PlainKey.parse(text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined();
      }),
      { numRuns: 3000 },
    );
  });

  it("rejects a key with two neighbours swapped, or a character added or missing", () => {
    fc.assert(
      fc.property(anyKey, fc.nat({ max: 49 }), (key, at) => {
        const text = key.reveal();
        const [one = "", other = ""] = [text[at], text[at + 1]];
        fc.pre(one !== other);
        expect(PlainKey.parse(text.slice(0, at) + other + one + text.slice(at + 2))).toBeUndefined();
        expect(PlainKey.parse(text.slice(0, at) + text.slice(at + 1))).toBeUndefined();
        expect(PlainKey.parse(text.slice(0, at) + other + text.slice(at))).toBeUndefined();
      }),
    );
  });

  it.each([
    "",
    "dbd_",
    "dbd_aaaaaaaa",
    "dbd_aaaaaaaa_",
    `dbd_aaaaaaaa_${"a".repeat(38)}`,
    "c0ffee00-0000-4000-8000-000000000000",
    "c0ffee0000004000800000000000000",
    "undefined",
  ])("rejects %j", (text) => {
    expect(PlainKey.parse(text)).toBeUndefined();
  });

  it("rejects a key in another case, with whitespace or with trailing text", () => {
    const text = PlainKey.generate().reveal();
    for (const wrong of [text.toUpperCase(), ` ${text}`, `${text} `, `${text}\n`, `${text}\0`, `${text}${text}`]) {
      expect(PlainKey.parse(wrong)).toBeUndefined();
    }
  });

  it("rejects a very long text", () => {
    expect(PlainKey.parse(`dbd_aaaaaaaa_${"a".repeat(1_000_000)}`)).toBeUndefined();
  });
});

describe("PlainKey does not reveal its secret", () => {
  const key = PlainKey.generate();
  const secret = key.reveal().slice(13);

  it.each([
    ["String()", () => String(key)],
    ["a template", () => `the key ${key}`],
    ["concatenation", () => `${"the key "}${key as unknown as string}`],
    ["JSON", () => JSON.stringify({ key, list: [key] })],
    ["inspect", () => inspect({ deep: { key } }, { depth: null, showHidden: true })],
    [
      "inspect without the custom inspector",
      () => inspect(key, { customInspect: false, showHidden: true, getters: true }),
    ],
    ["format", () => format("%s %o %O %j", key, key, key, key)],
    ["an error's message", () => new Error(`refused: ${key}`).message],
    ["an error's cause", () => inspect(new Error("refused", { cause: key }))],
    ["an error's fields", () => inspect(Object.assign(new Error("refused"), { key }))],
    ["its fields", () => JSON.stringify([Object.entries(key), Object.getOwnPropertyNames(key), { ...key }])],
    ["a clone", () => inspect(structuredClone({ key }))],
  ])("through %s", (_, show) => {
    expect(show()).not.toContain(secret);
    expect(show()).not.toContain(secret.slice(0, 8));
  });

  it("through the console", () => {
    let printed = "";
    const terminal = new Writable({
      write(chunk, _, done) {
        printed += chunk;
        done();
      },
    });
    new Console(terminal).log("issued", key, { key }, [key], "%o", key);
    expect(printed).toContain(key.prefix);
    expect(printed).not.toContain(secret);
  });

  it("but shows its prefix, which identifies it", () => {
    expect(String(key)).toContain(key.prefix);
    expect(JSON.parse(JSON.stringify({ key })).key).toContain(key.prefix);
  });
});
