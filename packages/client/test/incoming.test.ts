import { describe, expect, it } from "vitest";
import { isDatabaseId, readBuildId, readCatalogue, readChecksums, readMetadata } from "../src/api/incoming.ts";
import { serviceError } from "../src/api/response-errors.ts";
import { textResponse } from "../src/mirror/responses.ts";

const version = { id: "vpn_ip_v1", formats: ["mmdb"] };
const checksums = { md5: "0".repeat(32), sha1: "0".repeat(40), sha256: "0".repeat(64), sha512: "0".repeat(128) };

describe("what a service sends", () => {
  it("has ids that are safe as file names and as properties", () => {
    expect(readCatalogue({ databases: [{ versions: [version] }] })).toHaveLength(1);
    const ids = [
      "../../../x",
      "/etc/x",
      "a/b",
      "a\\b",
      "",
      ".",
      "a b",
      "a\n",
      "x".repeat(65),
      "__proto__",
      null,
      1,
      undefined,
    ];
    expect(ids.filter(isDatabaseId)).toEqual([]);
    for (const id of ids) {
      expect(() => readCatalogue({ databases: [{ versions: [version, { ...version, id }] }] })).toThrow(
        "invalid database id",
      );
    }
    for (const document of [
      null,
      [],
      {},
      { databases: {} },
      { databases: [null] },
      { databases: [{ versions: [{ id: "a" }] }] },
    ]) {
      expect(() => readCatalogue(document)).toThrow("catalogue");
    }
    expect(["a/b", "..", "", "x".repeat(101), "a\u001b[2J"].map(readBuildId)).toEqual([null, null, null, null, null]);
    expect(readBuildId("2026.11-a_b")).toBe("2026.11-a_b");
  });

  it("has dates that are dates, and sizes that are sizes", () => {
    const metadata = { updated: "2026-11-17", size: { mmdb: 1 } };
    expect(readMetadata(metadata)).toBe(metadata);
    expect(readMetadata({ updated: "2026-11-17" })).toEqual({ updated: "2026-11-17" });
    for (const updated of ["../../x", "2026-11-17/../x", "2026-99-99", "2026-11-17T00:00:00Z", 20261117, undefined]) {
      expect(() => readMetadata({ ...metadata, updated })).toThrow("invalid date");
    }
    for (const size of [-1, 1.5, "1", null, Number.MAX_VALUE]) {
      expect(() => readMetadata({ ...metadata, size: { mmdb: size } })).toThrow("invalid size");
    }
  });

  it("has digests of digits only, because part files are named after them", () => {
    expect(readChecksums({ checksums })).toBe(checksums);
    for (const sha256 of ["/../../../../tmp/evil".padEnd(64, "0"), "0".repeat(63), 0, undefined]) {
      expect(() => readChecksums({ checksums: { ...checksums, sha256 } })).toThrow("not hexadecimal digests");
    }
  });

  it("asks for a pause that a timer can wait for", () => {
    const response = textResponse(503, "", { "retry-after": "99999999999" });
    expect(serviceError(response, "").retryAfterMs).toBe(24 * 3_600_000);
  });

  it("says when a limit starts again, without asking to wait for it", () => {
    const wait = (seconds: number) => textResponse(429, "", { "retry-after": String(seconds) });
    const until = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
    const error = serviceError(wait(20 * 86_400), '{"rc":"BYTES_USED_UP"}');
    expect(error).toMatchObject({ kind: "rate_limited", retryable: false });
    expect(error.message).toMatch(
      new RegExp(`for this month; the limit resets at ${until} \\d\\d:\\d\\d UTC \\(429 BYTES_`),
    );
    expect(serviceError(wait(1e30), '{"rc":"DOWNLOADS_USED_UP"}').message).toBe(
      "your organization has used all its downloads for today (429 DOWNLOADS_USED_UP)",
    );
    expect(serviceError(wait(10), '{"rc":"TOO_MANY_STREAMS"}')).toMatchObject({
      retryable: true,
      retryAfterMs: 10_000,
    });
  });
});
