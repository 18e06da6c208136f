import { READ_RECORD, RECORD_SIZES_BITS, type RecordSizeBits } from "@dbdepot/formats/mmdb/node-records";
import fc from "fast-check";
import { Reader, type Response } from "mmdb-lib";
import { describe, expect, it } from "vitest";
import { buildMmdb, numbered } from "./build-mmdb.ts";
import { PlainList, type PlainRange, type Probe, toPlace, toText } from "./plain-list.ts";
import { anyRange, ipv4Range, ipv6Range } from "./random-ranges.ts";

interface Numbered {
  row: number;
}

function open(file: Buffer): Reader<Response> {
  return new Reader<Response>(file);
}

function rowAt(reader: Reader<Response>, probe: Probe): number | undefined {
  return (reader.get(toText(probe)) as unknown as Numbered | null)?.row;
}

/** The records of each node. */
function nodesOf(file: Buffer, { nodeCount, recordSizeBits }: { nodeCount: number; recordSizeBits: RecordSizeBits }) {
  const record = (node: number, side: number) => READ_RECORD[recordSizeBits](file, (node * recordSizeBits) / 4, side);
  return Array.from({ length: nodeCount }, (_, node) => `${record(node, 0)} ${record(node, 1)}`);
}

const ipv4Probe = fc.bigInt(0n, 2n ** 32n - 1n).map((address): Probe => ({ family: 4, address }));
const ipv6Probe = fc.bigInt(0n, 2n ** 128n - 1n).map((address): Probe => ({ family: 6, address }));
const trees: { name: string; range: fc.Arbitrary<PlainRange>; hasIpv6: boolean }[] = [
  { name: "IPv4", range: ipv4Range, hasIpv6: false },
  { name: "IPv6", range: ipv6Range, hasIpv6: true },
  { name: "both", range: anyRange, hasIpv6: true },
];

describe.each(RECORD_SIZES_BITS)("with records of %i bits", (recordSizeBits) => {
  it.each(trees)("finds the same as a plain list: $name", ({ range, hasIpv6 }) => {
    const rows = fc.array(fc.tuple(range, fc.boolean()), { minLength: 1, maxLength: 25 });
    const probes = fc.array(hasIpv6 ? fc.oneof(ipv4Probe, ipv6Probe) : ipv4Probe, { maxLength: 20 });
    fc.assert(
      fc.property(rows, probes, (given, others) => {
        const list = new PlainList(given.map(([one]) => one));
        const built = buildMmdb(numbered(given.map(([one, asRange]) => toPlace(one, asRange))), recordSizeBits);
        const reader = open(built.file);
        expect(reader.metadata.recordSize).toBe(recordSizeBits);
        const within = [...list.edges(), ...others].filter(({ family }) => family <= built.ipVersion);
        for (const probe of within)
          expect([toText(probe), rowAt(reader, probe)]).toEqual([toText(probe), list.rowOf(probe)]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the tree", () => {
  it("has as few nodes as possible", () => {
    fc.assert(
      fc.property(fc.array(ipv4Range, { maxLength: 20 }), (ranges) => {
        const built = buildMmdb(numbered(ranges.map((range) => toPlace(range, false))));
        expect(built.nodeCount).toBe(new PlainList(ranges).countIpv4Nodes());
      }),
    );
  });

  it("stores equal subtrees once, and still finds the same as a plain list", () => {
    fc.assert(
      fc.property(
        fc.array(anyRange, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 3 }),
        (ranges, kinds) => {
          const list = new PlainList(ranges);
          const built = buildMmdb(
            ranges.map((range, row) => [toPlace(range, false), { type: "uint32", value: row % kinds }]),
          );
          const reader = open(built.file);
          for (const probe of list.edges().filter(({ family }) => family <= built.ipVersion)) {
            const row = list.rowOf(probe);
            expect(reader.get(toText(probe))).toBe(row === undefined ? null : row % kinds);
          }
          const nodes = nodesOf(built.file, built);
          // The root of the IPv4 tree is never shared, so it may equal another node.
          expect(nodes.length - new Set(nodes).size).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("has one node per bit for 256 evenly spaced addresses with the same record", () => {
    const record = { type: "boolean", value: true } as const;
    const spaced = Array.from({ length: 256 }, (_, i): [string, typeof record] => [`10.0.${i}.7/32`, record]);
    expect(buildMmdb(spaced).nodeCount).toBe(32);
  });

  it("does not depend on the order of rows whose networks differ in size", () => {
    const places = ["10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "10.1.2.3/32"];
    const rows = numbered(places);
    const probes = ["10.9.9.9", "10.1.9.9", "10.1.2.9", "10.1.2.3", "11.0.0.0"];
    for (const order of [
      rows,
      rows.toReversed(),
      [rows[2], rows[0], rows[3], rows[1]].filter((row) => row !== undefined),
    ]) {
      const reader = open(buildMmdb(order).file);
      expect(probes.map((probe) => (reader.get(probe) as unknown as Numbered | null)?.row)).toEqual([
        0,
        1,
        2,
        3,
        undefined,
      ]);
    }
  });

  it("joins adjacent networks with the same record", () => {
    const record = { type: "map", value: [] } as const;
    const halves = buildMmdb([
      ["10.0.0.0/9", record],
      ["10.128.0.0/9", record],
    ]);
    expect(halves.file).toEqual(buildMmdb([["10.0.0.0/8", record]]).file);
    expect(open(halves.file).getWithPrefixLength("10.200.0.1")).toEqual([{}, 8]);
  });

  it("uses the last of several rows with the same network, and counts them", () => {
    const built = buildMmdb(numbered(["10.0.0.0/8", "10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], "2001:db8::/32"]));
    expect(rowAt(open(built.file), { family: 4, address: 0x0a000001n })).toBe(2);
    expect(built.repeatedNetworks).toBe(2);
  });

  it("prefers the smaller of two overlapping ranges, and the later of two of the same size", () => {
    const reader = open(
      buildMmdb(
        numbered([
          ["10.0.0.1", "10.0.3.232"],
          ["10.0.0.0", "10.0.0.1"],
          ["10.0.3.232", "10.0.7.207"],
        ]),
      ).file,
    );
    const at = (last: bigint) => rowAt(reader, { family: 4, address: 0x0a000000n + last });
    expect([at(0n), at(1n), at(2n), at(1000n), at(1001n)]).toEqual([1, 1, 0, 2, 2]);
  });
});
