import { execFileSync } from "node:child_process";
import { createWriteStream, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, createGzip } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { METADATA_MARKER, SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import { expect, it } from "vitest";
import { EDITS } from "../src/csv/edit-script.ts";
import { sha256OfFile } from "../src/files.ts";
import { encodeHeader, FORMAT_VERSIONS } from "../src/header.ts";
import { appendVarint } from "../src/varint.ts";
import { useFolder } from "./folder.ts";

const ROWS = 2_000_000;
const PEAK_MAX_MB = 200;
const HEAP_MB = 64;
const HOSTILE_MAX_MB = 100;
const CHUNK_CHARACTERS = 1 << 16;

const folder = useFolder();

/** Yields many rows at once, because passing each one to the compressor takes ten times as long. */
function* text(isNextDay: boolean): Generator<string> {
  let rows = "network,name,score\n";
  for (let i = 0; i < ROWS; i++) {
    const score = Math.imul(i, 0x9e3779b1) >>> 16;
    const network = `${1 + (i >>> 16)}.${(i >>> 8) & 255}.${i & 255}.0/24`;
    rows += `${network},Provider ${score % 500},${isNextDay && i % 100 === 0 ? "changed" : score}\n`;
    if (rows.length > CHUNK_CHARACTERS) {
      yield rows;
      rows = "";
    }
  }
  yield rows;
}

it("a csv.gz of two million rows is patched in less than 200 MB of memory", async () => {
  const [base, result, patch] = ["base", "result", "patch"].map((name) => join(folder(), name)) as [
    string,
    string,
    string,
  ];
  await pipeline(text(false), createGzip(GZIP_OPTIONS), createWriteStream(base));
  await pipeline(text(true), createGzip(GZIP_OPTIONS), createWriteStream(result));
  const { patchBytes, resultBytes } = patchFiles("make", "csvgz", base, result, patch);
  expect(patchBytes).toBeLessThan(resultBytes * 0.02);
  expect(patchFiles("apply", "csvgz", base, result, patch).peakMegabytes).toBeLessThan(PEAK_MAX_MB);
});

it("an mmdb in which each value changes is patched in its own size and 200 MB of memory", async () => {
  const [base, result, patch] = ["base", "result", "patch"].map((name) => join(folder(), name)) as [
    string,
    string,
    string,
  ];
  await writeFile(base, largeMmdb(1));
  await writeFile(result, largeMmdb(2));
  const { patchBytes, resultBytes } = patchFiles("make", "mmdb", base, result, patch);
  expect(resultBytes).toBeGreaterThan(150_000_000);
  expect(patchBytes).toBeLessThan(resultBytes * 0.25);
  const { refused, peakMegabytes } = patchFiles("apply", "mmdb", base, result, patch);
  expect(refused).toBeUndefined();
  expect(peakMegabytes).toBeLessThan(resultBytes / 1e6 + PEAK_MAX_MB);
});

/** A file with a full tree and values of the same size, which takes a second to write. */
function* largeMmdb(day: number): Generator<Buffer> {
  const nodeCount = 2 ** 20 - 1;
  const text = Buffer.from("\xe2\x44text\x5d\x5bthe same text each day, ".padEnd(128, "and so on, "), "latin1");
  const seen = Buffer.from("\x44seen\xc4____", "latin1");
  const recordOf = (child: number) =>
    child < nodeCount ? child : nodeCount + SEPARATOR_BYTES + (child - nodeCount) * (text.length + seen.length);
  const tree = Buffer.alloc(nodeCount * 8);
  for (let node = 0; node < nodeCount; node++) {
    tree.writeUInt32BE(recordOf(2 * node + 1), node * 8);
    tree.writeUInt32BE(recordOf(2 * node + 2), node * 8 + 4);
  }
  yield tree;
  yield Buffer.alloc(SEPARATOR_BYTES);
  for (let value = 0; value <= nodeCount; value += 1024) {
    const values: Buffer[] = [];
    for (let i = 0; i < 1024; i++) {
      seen.writeUInt32BE(Math.imul((value + i) * 2 + day, 0x9e3779b1) >>> 0, seen.length - 4);
      values.push(text, Buffer.from(seen));
    }
    yield Buffer.concat(values);
  }
  yield METADATA_MARKER;
  yield Buffer.from("\xe3\x4anode_count\xc4\x00\x0f\xff\xff\x4brecord_size\xa1\x20\x4aip_version\xa1\x04", "latin1");
}

it.each([
  ["inserts nothing", [EDITS.insert], "invalid"],
  ["makes each line empty", [EDITS.replace, 0, 0], "invalid"],
  ["makes each line short", [EDITS.replace + 4, 0, 0], "result_mismatch"],
])("a patch of a csv.gz that %s, millions of times, takes no memory", async (_, edit, code) => {
  const [base, result, patch] = ["base", "result", "patch"].map((name) => join(folder(), name)) as [
    string,
    string,
    string,
  ];
  await pipeline(shortLines(), createGzip(GZIP_OPTIONS), createWriteStream(base));
  // Only the size and the digest of the announced file count.
  await writeFile(result, Buffer.alloc(1_000_000));
  const baseSha256 = await sha256OfFile(base);
  const resultSha256 = await sha256OfFile(result);
  const header = encodeHeader({ codec: "csvgz", formatVersion: FORMAT_VERSIONS.csvgz, baseSha256, resultSha256 });
  const refuse = (edits: number) => {
    const bytes = new ByteList(64);
    for (const number of edit) appendVarint(bytes, number);
    const body = Buffer.concat([
      Buffer.from([6, 0]),
      Buffer.alloc(8),
      Buffer.alloc(edits * bytes.length, bytes.view()),
    ]);
    writeFileSync(patch, Buffer.concat([header, brotliCompressSync(body)]));
    return patchFiles("apply", "csvgz", base, result, patch);
  };
  const few = refuse(1);
  const many = refuse(4_000_000);
  expect(many.refused).toBe(code);
  expect(many.peakMegabytes - few.peakMegabytes).toBeLessThan(HOSTILE_MAX_MB);
});

/** Runs in its own process, so that the test runner's memory does not count. */
function patchFiles(...args: string[]) {
  const child = fileURLToPath(new URL("./patch-files.ts", import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, [`--max-old-space-size=${HEAP_MB}`, child, ...args], { encoding: "utf8" }),
  );
}

function* shortLines(): Generator<string> {
  for (let i = 0; i < 80; i++) yield "ab\n".repeat(CHUNK_CHARACTERS);
}
