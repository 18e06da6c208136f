import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, gunzipSync, gzipSync } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { METADATA_MARKER } from "@dbdepot/formats/mmdb/layout";
import { describe, expect, it } from "vitest";
import { Random } from "../../../rigs/harness/random.ts";
import { buildMmdb, numbered } from "../../exporter/test/mmdb/build-mmdb.ts";
import { applyCsvPatch } from "../src/csv/csv-patch.ts";
import { COMPRESSORS, type Compress, withHeader } from "../src/csv/gzip.ts";
import { HEAD_BYTES, isReproducible } from "../src/csv/recognize-gzip.ts";
import { FORMAT_VERSIONS, readHeader } from "../src/header.ts";
import { applyPatch, makePatch, type PatchKind } from "../src/index.ts";
import { drain } from "../src/verified.ts";
import { useFolder } from "./folder.ts";
import { buildForeignMmdb, type ForeignStyle, type ForeignValue } from "./foreign-mmdb.ts";
import { sha256Of, throughPatch } from "./histories.ts";

const folder = useFolder();
const path = (name: string) => join(folder(), name);
const gzipped = (text: string | Buffer) => gzipSync(text, GZIP_OPTIONS);
const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}/32,name ${i}\n`).join("");

const EXAMPLES: Record<PatchKind, { from: Buffer; to: Buffer }> = {
  csvgz: { from: gzipped(lines(1000)), to: gzipped(lines(1000).replace("name 500", "another")) },
  mmdb: {
    from: buildMmdb(numbered(["10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32"])).file,
    to: buildMmdb(numbered(["10.0.0.0/8", "10.2.0.0/16", "2001:db8::/32", "2001:db9::/32"])).file,
  },
};
const KINDS = ["csvgz", "mmdb"] as const;

/** Writes the files of an example, and its patch. */
async function prepare(kind: PatchKind, { from, to } = EXAMPLES[kind]) {
  await writeFile(path("base"), from);
  await writeFile(path("result"), to);
  await makePatch(kind, path("base"), path("result"), path("patch"), { maxPatchBytes: 1e6 });
  return { resultBytes: to.length, resultSha256: sha256Of(to) };
}

function make(kind: PatchKind, maxPatchBytes = 1e6, signal?: AbortSignal) {
  const limits = { maxPatchBytes, ...(signal && { signal }) };
  return makePatch(kind, path("base"), path("result"), path("patch"), limits);
}

describe.each(KINDS)("a patch of a %s", (kind) => {
  it("says what it is for", async () => {
    const { from, to } = EXAMPLES[kind];
    const { resultBytes } = await prepare(kind);
    expect(await readHeader(path("patch"))).toEqual({
      codec: kind,
      formatVersion: FORMAT_VERSIONS[kind],
      baseSha256: sha256Of(from),
      resultSha256: sha256Of(to),
    });
    expect((await stat(path("patch"))).size).toBeLessThan(resultBytes);
  });

  it("leads to the same file if nothing changed", async () => {
    const { to } = EXAMPLES[kind];
    expect(await throughPatch(kind, to, to, folder())).toEqual(to);
  });

  it("is not made if it is too large, and leaves nothing behind", async () => {
    await prepare(kind);
    const [base, result] = [path("base"), path("result")];
    const making = makePatch(kind, base, result, path("second"), { maxPatchBytes: 90 });
    await expect(making).rejects.toMatchObject({ name: "PatchError", code: "too_large" });
    expect(await readdir(folder())).not.toContain("second");
  });

  it("stops at a signal and leaves nothing behind", async () => {
    const limits = await prepare(kind);
    const signal = AbortSignal.abort();
    await expect(make(kind, 1e6, signal)).rejects.toMatchObject({ code: "aborted" });
    const later = new AbortController();
    const applying = applyPatch(kind, path("base"), path("patch"), path("out"), { ...limits, signal: later.signal });
    later.abort();
    await expect(applying).rejects.toMatchObject({ code: "aborted" });
    expect((await readdir(folder())).sort()).toEqual(["base", "patch", "result"]);
  });

  it("is not applied over an existing file", async () => {
    const limits = await prepare(kind);
    await writeFile(path("out"), "precious");
    const applying = applyPatch(kind, path("base"), path("patch"), path("out"), limits);
    await expect(applying).rejects.toMatchObject({ code: "io", cause: { code: "EEXIST" } });
    expect(await readFile(path("out"), "utf8")).toBe("precious");
  });

  it("reports files that cannot be read", async () => {
    const limits = await prepare(kind);
    const missing = path("missing");
    for (const failing of [
      () => makePatch(kind, missing, path("result"), path("second"), { maxPatchBytes: 1e6 }),
      () => applyPatch(kind, missing, path("patch"), path("out"), limits),
      () => applyPatch(kind, path("base"), missing, path("out"), limits),
    ]) {
      await expect(failing()).rejects.toMatchObject({ name: "PatchError", code: "io" });
    }
  });
});

describe("a csv.gz", () => {
  it.each([
    ["no rows", "", ""],
    ["its first rows", "", "a,1\n"],
    ["no rows any more", "a,1\nb,2\n", ""],
    ["no final line feed", "a,1\nb,2\n", "a,1\nb,2"],
    ["a final line feed again", "a,1\nb,2", "a,1\nb,2\nc,3\n"],
    ["CRLF", "a,1\nb,2\n", "a,1\r\nb,2\r\n"],
    ["a line feed in quotes", 'a,"1\n2"\nb,2\n', 'a,"1\n\n3"\nb,2\n'],
    ["repeated lines", "a\na\na\nb\na\n", "a\nb\na\na\na\na\n"],
    ["another order", "a\nb\nc\nd\ne\n", "e\nc\nd\na\nb\n"],
    ["lines without commas", "\n\nabc\n", "abc\n\nabd\n\n"],
    ["bytes that are not text", "\xff\0\n", "\xff\0\x01\n\xfe"],
  ])("may get %s", async (_, from, to) => {
    const [base, result] = [gzipped(Buffer.from(from, "latin1")), gzipped(Buffer.from(to, "latin1"))];
    expect(await throughPatch("csvgz", base, result, folder())).toEqual(result);
  });

  it.each([
    ["two lines per record", (i: number) => `10.${i >> 8}.${i & 255}.0/24,"Name ${i % 7}\nStreet"\n`, 0],
    ["no line that occurs once", (i: number) => `${(i * 7919) % 61},"${(i * 104_729) % 53}\n\n${i % 3}"\n`, 0],
    [
      "no line that occurs once, and other rows",
      (i: number) => `${new Random(i).integer(0, 99)},"${i % 5}\nx\n"\n`,
      40,
    ],
  ])("costs little if one record of %s is removed", async (_, record, changes) => {
    const records = Array.from({ length: 6000 }, (_, i) => record(i));
    const to = records
      .toSpliced(17, 1)
      .map((each, i) => (changes > 0 && i % (6000 / changes) === 99 ? "new,1\n" : each));
    await writeFile(path("base"), gzipped(records.join("")));
    await writeFile(path("result"), gzipped(to.join("")));
    const { bytes } = await make("csvgz");
    expect(bytes).toBeLessThan(120 + changes * 8);
    expect(await throughPatch("csvgz", gzipped(records.join("")), gzipped(to.join("")), folder())).toEqual(
      gzipped(to.join("")),
    );
  });

  it("may have been compressed by zlib at any level, with a name in its header", async () => {
    const { from, to } = EXAMPLES.csvgz;
    const other = Buffer.concat([gzipSync(gunzipSync(from), { level: 9 }), gzipSync("more,1\n")]);
    expect(await throughPatch("csvgz", other, to, folder())).toEqual(to);
    const text = Buffer.from(lines(20_000));
    const header = Buffer.concat([Buffer.from("1f8b080877777777022a", "hex"), Buffer.from("a.csv\0")]);
    const results = new Set<string>();
    for (const compressors of Object.values(COMPRESSORS)) {
      for (const level of [1, 5, 6, 9]) {
        const chunks = withHeader(header, (compressors.at(-1) as Compress)(inChunks(text), level));
        const result = Buffer.concat(await Array.fromAsync(chunks));
        expect(await throughPatch("csvgz", from, result, folder())).toEqual(result);
        results.add(sha256Of(result));
      }
    }
    expect(results.size).toBe(8);
  });

  it("is not patched if another program compressed it, or if it has several members", async () => {
    const { from, to } = EXAMPLES.csvgz;
    const text = gunzipSync(to);
    for (const foreign of [
      gzipSync(text, { strategy: constants.Z_HUFFMAN_ONLY }),
      Buffer.concat([gzipped("network\n"), gzipped(text)]),
    ]) {
      await expect(throughPatch("csvgz", from, foreign, folder())).rejects.toMatchObject({
        code: "unsupported",
        message: expect.stringMatching(/cannot be reproduced/),
      });
    }
  });

  it("is told from files of other compressors, although its text repeats itself", async () => {
    const row = "United States of America,California,Los Angeles,Example Networks Incorporated";
    const text = Array.from(
      { length: 80_000 },
      (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}/32,${row}\n`,
    ).join("");
    const isReproducibleFrom = (file: Buffer, headBytes: number) =>
      isReproducible({ bytes: file.subarray(0, headBytes), isWhole: file.length <= headBytes });
    for (const headBytes of [HEAD_BYTES, 2 ** 17]) {
      expect(await isReproducibleFrom(gzipSync(text, { level: 9 }), headBytes)).toBe(true);
      // Like GNU gzip, this writes larger blocks.
      expect(await isReproducibleFrom(gzipSync(text, { memLevel: 9 }), headBytes)).toBe(false);
      const members = Buffer.concat([gzipped("network\n"), gzipped(text)]);
      expect(await isReproducibleFrom(members, headBytes)).toBe(false);
    }
  });

  it.each([
    [1, "4b8e65e96c384940"],
    [6, "cfd7fc70ed990412"],
    [9, "a7e55266c5a0a3ba"],
  ])("is compressed like Python does with zlib 1.2.13 at level %d", async (level, digest) => {
    const text = Array.from({ length: 5000 }, (_, i) => `10.0.${i >> 8}.${i & 255}/32,name ${(i * 7919) % 1000}\n`);
    const [compress] = COMPRESSORS.classic as [Compress];
    const file = Buffer.concat(await Array.fromAsync(compress(inChunks(Buffer.from(text.join(""))), level)));
    expect(sha256Of(file.subarray(10, -8)).slice(0, digest.length)).toBe(digest);
  });

  it("is not patched if a line is longer than a mebibyte, or if it is not a gzip file", async () => {
    const { to } = EXAMPLES.csvgz;
    for (const from of [gzipped("x".repeat(2 ** 20 + 1)), Buffer.from("network\n"), Buffer.alloc(0)]) {
      await expect(throughPatch("csvgz", from, to, folder())).rejects.toMatchObject({ code: "unsupported" });
      await expect(throughPatch("csvgz", to, from, folder())).rejects.toMatchObject({ code: "unsupported" });
    }
  });

  it("is compressed by pako if this zlib writes other bytes", async () => {
    const limits = await prepare("csvgz");
    const [, withPako] = COMPRESSORS.node as [Compress, Compress];
    const tried: string[] = [];
    const otherZlib = (name: string, level: number): Compress =>
      async function* (text) {
        tried.push(name);
        yield gzipSync(Buffer.concat(await Array.fromAsync(text)), { level });
      };
    for (const compressors of [
      [otherZlib("smaller", 9), withPako],
      [otherZlib("larger", 0), withPako],
    ]) {
      await applyCsvPatch(path("base"), path("patch"), limits, drain, { node: compressors, classic: [] });
    }
    expect(tried).toEqual(["smaller", "larger"]);
    const applying = applyCsvPatch(path("base"), path("patch"), limits, drain, {
      node: [otherZlib("only", 9)],
      classic: [],
    });
    await expect(applying).rejects.toMatchObject({ code: "unsupported" });
  });

  it("gets the same bytes from pako as from the zlib of Node.js", async () => {
    const random = new Random(1);
    const word = () => random.pick(["US", "DE", "Acme", "10.0.", "true", "\n", "\u00e4", `${random.integer(0, 1e6)}`]);
    const text = Buffer.from(Array.from({ length: 60_000 }, word).join(","));
    for (const input of [text, random.bytes(100_000), Buffer.alloc(200_000), Buffer.alloc(0)]) {
      const compressed = COMPRESSORS.node.map(async (compress) =>
        Buffer.concat(await Array.fromAsync(compress(inChunks(input), 6))),
      );
      const [zlib, pako] = await Promise.all(compressed);
      expect(pako?.equals(zlib as Buffer)).toBe(true);
      expect(zlib?.equals(gzipped(input))).toBe(true);
    }
  });

  async function* inChunks(text: Buffer): AsyncGenerator<Buffer> {
    for (let at = 0; at < text.length; at += 7777) yield text.subarray(at, at + 7777);
  }
});

describe("an mmdb", () => {
  it("may change its IP version, lose all networks, or get its first", async () => {
    const files = [[], ["10.0.0.0/8"], ["0.0.0.0/0"], ["::/0"], ["2001:db8::/32", "0.0.0.0/0"], ["2002::/16"]].map(
      (places) => buildMmdb(numbered(places)).file,
    );
    for (const from of files) {
      for (const to of files) expect((await throughPatch("mmdb", from, to, folder())).equals(to)).toBe(true);
    }
  });

  it("may have been written by another program", async () => {
    const { from } = EXAMPLES.mmdb;
    const { file, nodeCount } = buildMmdb(numbered(["10.0.0.0/8"]), 24);
    const lastNode = (nodeCount - 1) * 6;
    // A node whose records are equal is not needed, so our layout has none.
    const wasteful = Buffer.from(file).copyWithin(lastNode, lastNode + 3, lastNode + 6);
    const looped = Buffer.from(from).fill(0, 0, 6);
    for (const foreign of [looped, wasteful, buildForeignMmdb(foreignRows(50, "old"), PERL)]) {
      expect(await throughPatch("mmdb", from, foreign, folder())).toEqual(foreign);
      expect(await throughPatch("mmdb", foreign, from, folder())).toEqual(from);
    }
  });

  it.each<Partial<ForeignStyle>>([
    {},
    { recordSizeBits: 24, ipVersion: 4, hasAliases: false },
    { recordSizeBits: 32, valueOrder: "last" },
    { nodeOrder: "breadth" },
  ])("of another program (%o) costs little if a hundredth changed, or a date in each value", async (style) => {
    const build = (rows: [string, ForeignValue][]) => buildForeignMmdb(rows, { ...PERL, ...style });
    const from = build(foreignRows(2000, "old"));
    const changed = foreignRows(2000, "old").map(([network, value], i): [string, ForeignValue] => {
      const [a, b] = [i % 100 === 50, i % 500 === 99];
      return [
        b ? network.replace("/24", "/25") : network,
        a ? { ...(value as object), city: `City ${i % 77}` } : value,
      ];
    });
    await writeFile(path("base"), from);
    for (const [to, maxShare] of [
      [build(changed), 0.05],
      [build(foreignRows(2000, "new")), 0.25],
    ] as const) {
      await writeFile(path("result"), to);
      await rm(path("patch"), { force: true });
      expect((await make("mmdb")).bytes).toBeLessThan(to.length * maxShare);
      expect(await throughPatch("mmdb", from, to, folder())).toEqual(to);
    }
  });

  it("of ours costs little if a date in each value changed", async () => {
    const build = (day: "old" | "new") =>
      buildMmdb(
        foreignRows(2000, day).map(([network, value]) => [
          network,
          {
            type: "map",
            value: Object.entries(value).map(([key, each]) => [key, { type: "string", value: JSON.stringify(each) }]),
          },
        ]),
      ).file;
    const to = build("new");
    await writeFile(path("base"), build("old"));
    await writeFile(path("result"), to);
    expect((await make("mmdb")).bytes).toBeLessThan(to.length * 0.25);
  });

  it("is patched as bytes if it cannot be read value by value", async () => {
    const unreadable = (day: "old" | "new", changed: number) => {
      const rows = foreignRows(8000, day).map(([network, value], i): [string, ForeignValue] =>
        changed > 0 && i % 100 === 50 ? [network, { ...(value as object), city: `City ${i % 77}` }] : [network, value],
      );
      const file = buildForeignMmdb(rows, PERL);
      const marker = file.lastIndexOf(METADATA_MARKER);
      // A value whose type is missing.
      return Buffer.concat([file.subarray(0, marker), Buffer.alloc(1), file.subarray(marker)]);
    };
    const from = unreadable("old", 0);
    await writeFile(path("base"), from);
    for (const to of [unreadable("old", 0.01), unreadable("new", 0)]) {
      await writeFile(path("result"), to);
      await rm(path("patch"), { force: true });
      expect((await make("mmdb")).bytes).toBeLessThan(to.length * 0.3);
      expect((await readHeader(path("patch"))).codec).toBe("binary");
      expect((await throughPatch("mmdb", from, to, folder())).equals(to)).toBe(true);
    }
  });

  it("is patched as bytes if it is damaged", async () => {
    const { from } = EXAMPLES.mmdb;
    for (const damaged of [Buffer.from("no mmdb"), from.subarray(0, 100), Buffer.alloc(0), Buffer.alloc(200_000)]) {
      expect((await throughPatch("mmdb", from, damaged, folder())).equals(damaged)).toBe(true);
      expect((await throughPatch("mmdb", damaged, from, folder())).equals(from)).toBe(true);
    }
  });
});

/** The layout of MaxMind::DB::Writer. */
const PERL: ForeignStyle = {
  recordSizeBits: 28,
  ipVersion: 6,
  nodeOrder: "depth",
  valueOrder: "first",
  hasAliases: true,
};

/** Each value has a time that depends on the day. */
function foreignRows(count: number, day: "old" | "new"): [string, ForeignValue][] {
  const random = new Random(3);
  return Array.from({ length: count }, (_, i): [string, ForeignValue] => {
    const city = `City ${random.integer(0, 300)}`;
    const [earlier, later] = [random.integer(1_000_000, 9_000_000), random.integer(1, 255)];
    const seen = day === "old" ? earlier : earlier + later;
    const place = { city, country: random.pick(["DE", "FR", "US"]), names: { en: city, de: `Stadt ${city}` } };
    return [`10.${i >> 8}.${i & 255}.0/24`, { ...place, asn: random.integer(0, 70_000), seen, is_vpn: i % 3 === 0 }];
  });
}
