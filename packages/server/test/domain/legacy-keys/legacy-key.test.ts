import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateUuid, hashUuid, normalizeUuid } from "../../../src/domain/legacy-keys/legacy-key.ts";

const PLAIN = "c0ffee00aaaa4bbb8cccddddeeeeffff";
const DASHED = "c0ffee00-aaaa-4bbb-8ccc-ddddeeeeffff";

describe("UUIDs of legacy keys", () => {
  it.each([PLAIN, DASHED, PLAIN.toUpperCase(), DASHED.toUpperCase(), ` ${DASHED}\n`])("are normalized: %j", (text) => {
    expect(normalizeUuid(text)).toBe(PLAIN);
  });

  it.each([
    "",
    "-",
    PLAIN.slice(1),
    `${PLAIN}0`,
    DASHED.slice(1),
    `{${DASHED}}`,
    `urn:uuid:${DASHED}`,
    "c0ffee00aaaa-4bbb-8ccc-ddddeeeeffff",
    "c0ffee00-aaaa-4bbb-8cccddddeeeeffff",
    "c0ffee-00aaaa-4bbb-8ccc-ddddeeeeffff",
    "c0ffee00--aaaa-4bbb8ccc-ddddeeeeffff",
    `g${PLAIN.slice(1)}`,
    `${DASHED}-`,
    "dbd_aaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbcccccc",
  ])("do not include %j", (text) => {
    expect(normalizeUuid(text)).toBeUndefined();
  });

  it("have the same hash with or without dashes and in either case", () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const forms = [uuid, uuid.replaceAll("-", ""), uuid.toUpperCase(), uuid.replaceAll("-", "").toUpperCase()];
        expect(new Set(forms.map((form) => hashUuid(normalizeUuid(form) ?? ""))).size).toBe(1);
      }),
    );
  });

  it("are valid and different each time they are generated", () => {
    const generated = Array.from({ length: 100 }, generateUuid);
    expect(new Set(generated.map(normalizeUuid)).size).toBe(100);
    expect(generated.every((uuid) => normalizeUuid(uuid) !== undefined)).toBe(true);
  });
});
