import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DATABASE_ID_MAX_LENGTH, isWellFormedName, parseDatabaseId } from "../src/shared/database-id.ts";

describe("a versioned database id", () => {
  it.each([
    ["vpn_ip_v1", "vpn_ip", 1],
    ["vpn_ip_v12", "vpn_ip", 12],
    ["a_v1", "a", 1],
    ["Bogon_v3", "Bogon", 3],
    ["x_v1_v2", "x_v1", 2],
    ["__v1", "_", 1],
    ["f_v999999999", "f", 999_999_999],
  ])("parses %s into family and version", (id, base, version) => {
    expect(parseDatabaseId(id)).toEqual({ base, version });
  });

  it.each([
    "",
    "vpn_ip",
    "_v1",
    "v1",
    "vpn_ip_v",
    "vpn_ip_v0",
    "vpn_ip_v01",
    "vpn_ip_v-1",
    "vpn_ip_v1.5",
    "vpn_ip_V1",
    "vpn_ipv1",
    "vpn_ip_v1 ",
    " vpn_ip_v1",
    "vpn_ip_v1\n",
    "vpn-ip_v1",
    "vpn.ip_v1",
    "../vpn_ip_v1",
    "vpn_ip_v1/x",
    "vpn_ip_v1\0",
    "vpñ_ip_v1",
    "vpn_ip_v١",
    "f_v1000000000",
  ])("rejects %j", (id) => {
    expect(parseDatabaseId(id)).toBeUndefined();
  });

  it("is at most 64 characters long", () => {
    const longest = `${"a".repeat(DATABASE_ID_MAX_LENGTH - 3)}_v1`;
    expect(parseDatabaseId(longest)?.version).toBe(1);
    expect(parseDatabaseId(`a${longest}`)).toBeUndefined();
    expect(isWellFormedName("a".repeat(64))).toBe(true);
    expect(isWellFormedName("a".repeat(65))).toBe(false);
  });

  it("round-trips for every family and version number", () => {
    const base = fc.stringMatching(/^[a-zA-Z0-9_]{1,50}$/);
    const version = fc.integer({ min: 1, max: 999_999_999 });
    fc.assert(
      fc.property(base, version, (base, version) => {
        expect(parseDatabaseId(`${base}_v${version}`)).toEqual({ base, version });
      }),
    );
  });

  it("is a well-formed name whenever it parses", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("_", "v", "1", "0", "a", "-", "\n", "é"), maxLength: 12 }),
        (text) => {
          const parsed = parseDatabaseId(text);
          if (parsed) expect(text).toBe(`${parsed.base}_v${parsed.version}`);
          if (parsed) expect(isWellFormedName(text)).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
