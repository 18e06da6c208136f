import { createHash, createHmac, generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { getSignedUrl } from "@aws-sdk/cloudfront-signer";
import { describe, expect, it } from "vitest";
import { diskStore } from "../../../src/adapters/objects/disk.ts";
import { type EdgeOptions, withEdgeLinks } from "../../../src/adapters/objects/edge-links.ts";
import { parseSettings } from "../../../src/settings/settings.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const NOW = new Date("2026-11-19T12:00:00.400Z");
const EXPIRES = 1795090500;
const KEY = "vpn_ip_v1/019aa000-0000-7000-8000-000000000000/vpn_ip_v1.mmdb";
const TERMS = { ttlSeconds: 900, filename: "vpn_ip_v1.mmdb", contentType: "application/octet-stream", now: NOW };
const CDN = [{ region: "default", base: "https://cdn.example.com" }] as const;

function storeWith(options: EdgeOptions) {
  const authority = { credentials: { accessKeyId: "unused", secretAccessKey: "unused" }, region: "local" };
  return withEdgeLinks(diskStore({ folder: "unused", linkOrigin: "https://unused", authority }), options);
}

describe("links with an HMAC", () => {
  const store = storeWith({ signer: "hmac", keyFile: `2026b ${SECRET}\n2026a ${"f".repeat(64)}\n`, origins: CDN });

  it("sign the path, the expiry and the id of the first key, as documented", () => {
    const text = `/${KEY}?exp=${EXPIRES}&kid=2026b`;
    const signature = createHmac("sha256", SECRET).update(text).digest("hex");
    expect(store.link(KEY, TERMS)).toBe(`https://cdn.example.com${text}&sig=${signature}`);
  });

  it("have the test vectors of the page", async () => {
    const page = await readFile(new URL("../../../../../docs/operate/cdn.md", import.meta.url), "utf8");
    const [, text, signature] = /\| text \| `(.*?)` \|\n\| sig \| `(.*?)` \|/.exec(page) ?? [];
    expect(page).toContain(`| key | \`2026b ${SECRET}\` |`);
    expect(store.link(KEY, TERMS)).toBe(`https://cdn.example.com${text}&sig=${signature}`);
  });

  it("have the same path for everybody, whenever they were made", () => {
    const later = { ...TERMS, now: new Date(NOW.getTime() + 60_000), filename: "other" };
    expect(new URL(store.link(KEY, later)).pathname).toBe(`/${KEY}`);
    expect(store.link(KEY, later)).not.toBe(store.link(KEY, TERMS));
  });

  it("encode what a URL cannot contain", () => {
    expect(store.link("a b/ü", TERMS)).toMatch(/^https:\/\/cdn\.example\.com\/a%20b\/%C3%BC\?exp=/);
  });
});

describe("links for nginx's secure_link", () => {
  it("have the digest that secure_link_md5 computes", () => {
    const store = storeWith({ signer: "secure_link", keyFile: `a ${SECRET}`, origins: CDN });
    const digest = createHash("md5").update(`${EXPIRES}/${KEY} ${SECRET}`).digest("base64url");
    expect(store.link(KEY, TERMS)).toBe(`https://cdn.example.com/${KEY}?md5=${digest}&expires=${EXPIRES}&kid=a`);
  });
});

describe("links for CloudFront", () => {
  it("equal those of the signer of AWS", () => {
    const { privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const store = storeWith({ signer: "cloudfront", keyFile: `K2JCJMDEHXQW5F\n${privateKey}`, origins: CDN });
    for (const key of [KEY, "a b/c"]) {
      const expected = getSignedUrl({
        url: `https://cdn.example.com/${key.replaceAll(" ", "%20")}`,
        keyPairId: "K2JCJMDEHXQW5F",
        privateKey,
        dateLessThan: new Date(EXPIRES * 1000).toISOString(),
      });
      expect(store.link(key, TERMS)).toBe(expected);
    }
  });
});

describe("regions", () => {
  const origins = [
    { region: "eu", base: "https://eu.example.com/files" },
    { region: "us", base: "https://us.example.com" },
  ] as const;
  const store = storeWith({ signer: "hmac", keyFile: `a ${SECRET}`, origins });

  it.each([
    ["us", "https://us.example.com/vpn"],
    ["eu", "https://eu.example.com/files/vpn"],
    ["moon", "https://eu.example.com/files/vpn"],
    [undefined, "https://eu.example.com/files/vpn"],
  ])("lead to their own origin, or to the first: %s", (region, start) => {
    expect(store.link(KEY, { ...TERMS, region }).startsWith(start)).toBe(true);
  });

  it("are known by the store", () => {
    expect(store.linkRegions).toEqual(["eu", "us"]);
    expect(store.linkOrigin).toBe("https://eu.example.com");
  });
});

describe("settings", () => {
  it.each([
    [{ DBDEPOT_LINKS: "hmac" }, "DBDEPOT_LINK_ORIGINS: required with DBDEPOT_LINKS=hmac"],
    [{ DBDEPOT_LINKS: "cdn" }, "DBDEPOT_LINKS: must be one of s3, cloudfront, hmac, secure_link"],
    [{ DBDEPOT_LINK_ORIGINS: "https://cdn.example.com" }, "DBDEPOT_LINK_ORIGINS: requires DBDEPOT_LINKS="],
    [{ DBDEPOT_LINKS: "hmac", DBDEPOT_LINK_ORIGINS: "https://cdn.example.com" }, "DBDEPOT_LINK_KEY_FILE: each line"],
    [
      { DBDEPOT_LINKS: "cloudfront", DBDEPOT_LINK_ORIGINS: "https://cdn.example.com" },
      "DBDEPOT_LINK_KEY_FILE: the first line",
    ],
    [{ DBDEPOT_LINK_ORIGINS: "eu=https://a.example,eu=https://b.example" }, "must name each region once"],
    [{ DBDEPOT_LINK_ORIGINS: "https://user:hunter2@cdn.example.com" }, "DBDEPOT_LINK_ORIGINS: must be an https:// URL"],
    [{ DBDEPOT_LINK_KEY_FILE: "/nonexistent" }, "DBDEPOT_LINK_KEY_FILE: cannot read /nonexistent (ENOENT)"],
    [{ DBDEPOT_LINK_REGION_HEADER: "X-Region" }, "DBDEPOT_LINK_REGION_HEADER: requires DBDEPOT_TRUSTED_PROXIES"],
    [{ DBDEPOT_LINK_REGION_HEADER: "X Region" }, "DBDEPOT_LINK_REGION_HEADER: must be the name of a header"],
  ])("are refused with a reason: %o", (settings, problem) => {
    expect(() => parseSettings(settings)).toThrow(problem);
    expect(() => parseSettings(settings)).not.toThrow("hunter2");
  });

  it.each(["short secret", `a ${SECRET}\nb`, `a ${SECRET}\na ${SECRET}`])(
    "refuse the key file %j without showing it",
    (keyFile) => {
      const open = () => storeWith({ signer: "hmac", keyFile, origins: CDN });
      expect(open).toThrow(/^(each line must be|two keys have the same id)/);
      expect(open).not.toThrow(SECRET);
    },
  );
});
