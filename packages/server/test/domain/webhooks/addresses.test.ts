import { describe, expect, it } from "vitest";
import { isAllowedAddress } from "../../../src/domain/webhooks/addresses.ts";
import { requireWebhookUrl } from "../../../src/domain/webhooks/url.ts";

const FORBIDDEN = [
  "127.0.0.1",
  "127.8.8.8",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "192.0.0.8",
  "198.18.0.1",
  "203.0.113.5",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:10.0.0.1",
  "::ffff:127.0.0.1",
  "::127.0.0.1",
  "64:ff9b::10.0.0.1",
  "2002:a00:1::",
  "2001:0:1::1",
  "fe80::1",
  "fec0::1",
  "fd00::1",
  "ff02::1",
  "2001:db8::1",
  "1fff::1",
  "4000::1",
  "5f00::1",
  "64:ff9b:1::a00:1",
  "not an address",
];

describe("Addresses", () => {
  it("are forbidden unless they are public", () => {
    for (const address of FORBIDDEN) expect([address, isAllowedAddress(address, [])]).toEqual([address, false]);
    for (const address of ["8.8.8.8", "::ffff:8.8.8.8", "2606:4700:4700::1111"]) {
      expect([address, isAllowedAddress(address, [])]).toEqual([address, true]);
    }
  });

  it("in networks that the operator allows are allowed", () => {
    expect(isAllowedAddress("10.1.2.3", ["10.1.0.0/16"])).toBe(true);
    expect(isAllowedAddress("::ffff:10.1.2.3", ["10.1.0.0/16"])).toBe(true);
    expect(isAllowedAddress("10.2.2.3", ["10.1.0.0/16"])).toBe(false);
  });
});

describe("URLs of webhooks", () => {
  const problemOf = (url: string, networks: string[] = []) => {
    try {
      requireWebhookUrl(url, networks);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it("must be https without credentials or a fragment", () => {
    expect(requireWebhookUrl("https://hooks.example.com/a?b=c", [])).toBe("https://hooks.example.com/a?b=c");
    expect(problemOf("http://hooks.example.com/")).toContain("must start with https://");
    expect(problemOf("ftp://hooks.example.com/")).toContain("must be an https:// URL");
    expect(problemOf("hooks.example.com")).toContain("must be an https:// URL");
    expect(problemOf("https://user:secret@hooks.example.com/")).toContain("user name or a password");
    expect(problemOf("https://hooks.example.com/#a")).toContain("fragment");
    expect(problemOf(`https://hooks.example.com/${"a".repeat(2000)}`)).toContain("2000 characters");
  });

  it("must not name a private address, however it is written", () => {
    for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::1]", "[::ffff:7f00:1]", "10.0.0.1"]) {
      expect([host, problemOf(`https://${host}/`)]).toEqual([
        host,
        "the URL of a webhook must not point to a private or reserved address",
      ]);
    }
  });

  it("may be http if the operator allows private networks", () => {
    expect(problemOf("http://10.0.0.1/", ["10.0.0.0/8"])).toBeUndefined();
    expect(problemOf("http://hooks.internal/", ["10.0.0.0/8"])).toBeUndefined();
    expect(problemOf("http://192.168.0.1/", ["10.0.0.0/8"])).toContain("private or reserved");
  });
});
