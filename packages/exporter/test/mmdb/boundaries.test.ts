import { Reader, type Response } from "mmdb-lib";
import { describe, expect, it } from "vitest";
import { parseNetwork, parseRange } from "../../src/mmdb/network.ts";
import { Networks } from "../../src/mmdb/networks.ts";
import { buildMmdb, numbered, type Place } from "./build-mmdb.ts";

function lookUp(places: Place[]) {
  const { file, ipVersion, nodeCount } = buildMmdb(numbered(places));
  const reader = new Reader<Response>(file);
  const row = (address: string) => (reader.get(address) as unknown as { row: number } | null)?.row;
  return { ipVersion, nodeCount, row, rows: (...addresses: string[]) => addresses.map(row) };
}

describe("the edges of the address space", () => {
  it.each<[string, Place]>([
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["the whole range", ["0.0.0.0", "255.255.255.255"]],
  ])("can contain all of IPv4 as %s", (_, place) => {
    const { rows, ipVersion, nodeCount } = lookUp([place]);
    expect(rows("0.0.0.0", "127.0.0.1", "255.255.255.255")).toEqual([0, 0, 0]);
    expect([ipVersion, nodeCount]).toEqual([4, 1]);
  });

  it("can contain all of IPv6 as ::/0, without IPv4", () => {
    const { rows, ipVersion } = lookUp(["::/0"]);
    expect(rows("1::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002:102:304::", "::1:0:0")).toEqual([0, 0, 0, 0]);
    expect(rows("0.0.0.0", "1.2.3.4", "255.255.255.255")).toEqual([undefined, undefined, undefined]);
    expect(ipVersion).toBe(6);
  });

  it("can contain all of both", () => {
    const { rows } = lookUp(["::/0", "0.0.0.0/0"]);
    expect(rows("1.2.3.4", "3000::", "::ffff:102:304", "2002:102:304::")).toEqual([1, 0, 1, 1]);
  });

  it("can contain single addresses", () => {
    const { rows } = lookUp([
      "0.0.0.0/32",
      "255.255.255.255/32",
      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128",
      "1.2.3.4",
    ]);
    expect(rows("0.0.0.0", "0.0.0.1", "255.255.255.254", "255.255.255.255", "1.2.3.4")).toEqual([
      0,
      undefined,
      undefined,
      1,
      3,
    ]);
    expect(rows("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe")).toEqual([
      2,
      undefined,
    ]);
  });

  it("can be empty", () => {
    const { row, nodeCount } = lookUp([]);
    expect([row("1.2.3.4"), nodeCount]).toEqual([undefined, 1]);
  });
});

describe("IPv4 in an IPv6 tree", () => {
  it("is found under its IPv6 notations", () => {
    const { rows } = lookUp(["1.2.3.0/24", "2400::/12", "2000::/3"]);
    expect(rows("1.2.3.4", "::ffff:102:304", "2002:102:304:5::6", "2001:0:102:304::", "2400::1", "2003::")).toEqual([
      0, 0, 0, 0, 1, 2,
    ]);
    expect(rows("2002:102:404::", "2001:0:102:404::")).toEqual([undefined, undefined]);
  });

  it("is not found under a notation that has its own rows", () => {
    const { rows } = lookUp(["1.2.3.0/24", "2002::/16", "2001:0:4136::/48", "::ffff:0:0/96"]);
    expect(rows("1.2.3.4", "2002:102:304::", "2001:0:102:304::", "2001:0:4136::1", "::ffff:102:304")).toEqual([
      0,
      1,
      undefined,
      2,
      3,
    ]);
  });

  it("may be written as mapped addresses", () => {
    const { rows, ipVersion } = lookUp(["::ffff:1.2.3.0/120", ["::ffff:10.0.0.1", "::ffff:10.0.0.9"]]);
    expect([ipVersion, ...rows("1.2.3.4", "10.0.0.9", "10.0.0.10")]).toEqual([4, 0, 1, undefined]);
  });

  it("shares 0.0.0.0/8 with :: and ::1, which make it an IPv6 file", () => {
    const { rows, ipVersion } = lookUp(["::1/128", "::/128", "5.0.0.0/8"]);
    expect([ipVersion, ...rows("::1", "::", "::2", "5.5.5.5")]).toEqual([6, 0, 1, undefined, 2]);
  });

  it("leaves no hole for its notations if there are no IPv4 networks", () => {
    const { rows } = lookUp(["::1/128", "2000::/3"]);
    expect(rows("::1", "2002:102:304::", "2001:0:102:304::")).toEqual([0, 1, 1]);
  });

  it("is not part of a network around ::/96", () => {
    const { rows } = lookUp(["::/8", "5.0.0.0/8", "::1/128"]);
    expect(rows("4.0.0.0", "5.0.0.0", "::1:0:0", "ff::", "::1")).toEqual([undefined, 1, 0, 0, 2]);
  });

  it.each(["::/96", "::1.2.3.4/128", "::8.0.0.0/125"])("cannot be written as %s", (text) => {
    const range = parseNetwork(text);
    if ("fault" in range) throw new Error(range.fault);
    expect(new Networks().add(range, 0)).toContain("lies in ::/96");
  });
});

describe("an invalid network", () => {
  it.each([
    ["10.0.0.1/8", "bits set beyond its prefix length"],
    ["2001:db8::1/64", "bits set beyond its prefix length"],
    ["10.0.0.0/33", "no valid prefix length"],
    ["::/129", "no valid prefix length"],
    ["10.0.0.0/", "no valid prefix length"],
    ["10.0.0.0/08", "no valid prefix length"],
    ["10.0.0.0/-1", "no valid prefix length"],
    ["10.0.0.0/8/8", "no valid prefix length"],
    ["10.0.0/8", "not an IP network"],
    ["10.0.0.010", "not an IP network"],
    ["fe80::1%eth0", "not an IP network"],
    ["", "not an IP network"],
    [" 10.0.0.0/8", "not an IP network"],
  ])("is refused: %j", (text, fault) => {
    expect(parseNetwork(text)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it.each([
    ["10.0.0.2", "10.0.0.1", "ends before it starts"],
    ["2001:db8::2", "2001:db8::1", "ends before it starts"],
    ["10.0.0.1", "::1", "mixes IPv4 and IPv6"],
    ["10.0.0.1", "x", "not an IP address"],
    ["10.0.0.0/8", "10.0.0.1", "not an IP address"],
  ])("is refused: %s to %s", (first, last, fault) => {
    expect(parseRange(first, last)).toEqual({ fault: expect.stringContaining(fault) });
  });
});
