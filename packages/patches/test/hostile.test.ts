import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { beforeEach, describe, expect, it } from "vitest";
import { buildMmdb, numbered } from "../../exporter/test/mmdb/build-mmdb.ts";
import { BINARY_CODEC } from "../src/binary/binary-patch.ts";
import { CSVGZ_CODEC } from "../src/csv/csv-patch.ts";
import { EDITS } from "../src/csv/edit-script.ts";
import { type CodecName, HEADER_BYTES } from "../src/header.ts";
import { applyPatch, makePatch, type PatchKind } from "../src/index.ts";
import { RECORDS } from "../src/mmdb/apply-tree.ts";
import { readMetadata } from "../src/mmdb/mmdb-file.ts";
import { MMDB_CODEC } from "../src/mmdb/mmdb-patch.ts";
import { EDITS as EDITS_OF_VALUES, RUNS } from "../src/mmdb/value-script.ts";
import { appendVarint, PartReader } from "../src/varint.ts";
import { drain } from "../src/verified.ts";
import { useFolder } from "./folder.ts";
import { sha256Of } from "./histories.ts";

// Every patch in this file is damaged or hostile. Each must be refused, and leave no file behind.

const folder = useFolder();
const path = (name: string) => join(folder(), name);

const LINES = Array.from({ length: 300 }, (_, i) => `10.0.${i}.0/24,${i}\n`).join("");
const FILES: Record<CodecName, { base: Buffer; result: Buffer }> = {
  csvgz: { base: gzipSync(LINES, GZIP_OPTIONS), result: gzipSync(LINES.replace(",150\n", ",x\n"), GZIP_OPTIONS) },
  mmdb: {
    base: buildMmdb(numbered(["10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32"])).file,
    result: buildMmdb(numbered(["10.0.0.0/8", "10.2.0.0/16", "2001:db8::/32", "2001:db9::/32"])).file,
  },
  // Not an mmdb, so it is patched as bytes.
  binary: { base: Buffer.from(LINES), result: Buffer.from(LINES.replace(",150\n", ",x\n")) },
};
const CODECS = { csvgz: CSVGZ_CODEC, mmdb: MMDB_CODEC, binary: BINARY_CODEC };
const kindOf = (codec: CodecName): PatchKind => (codec === "binary" ? "mmdb" : codec);

const limitsOf = (codec: CodecName) => {
  const { result } = FILES[codec];
  return { resultBytes: result.length, resultSha256: sha256Of(result) };
};

function varints(...numbers: number[]): Buffer {
  const bytes = new ByteList(64);
  for (const number of numbers) appendVarint(bytes, number);
  return bytes.view();
}

/** The start of a body: how the result is compressed, and the header of a gzip file. */
function container(compression: number): Buffer {
  return Buffer.concat([varints(compression, 10), FILES.csvgz.result.subarray(0, 10)]);
}

async function expectRefused(codec: CodecName, patch: Buffer, codes: string[]): Promise<void> {
  await writeFile(path("patch"), patch);
  const applying = applyPatch(kindOf(codec), path("base"), path("patch"), path("out"), limitsOf(codec));
  const error = await applying.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: "PatchError" });
  expect(codes).toContain((error as { code: string }).code);
  expect(await readdir(folder())).not.toContain("out");
}

describe.each(["csvgz", "mmdb", "binary"] as const)("a patch of the codec %s", (codec) => {
  const kind = kindOf(codec);
  let patch: Buffer;
  beforeEach(async () => {
    await writeFile(path("base"), FILES[codec].base);
    await writeFile(path("result"), FILES[codec].result);
    await makePatch(kind, path("base"), path("result"), path("patch"), { maxPatchBytes: 1e6 });
    patch = await readFile(path("patch"));
  });

  it("is refused if it is truncated anywhere", async () => {
    for (let length = 0; length < patch.length; length += length < HEADER_BYTES ? 15 : 3) {
      await expectRefused(codec, patch.subarray(0, length), ["invalid", "result_mismatch"]);
    }
  });

  it("is refused if a bit is wrong, or leads to the right file nevertheless", async () => {
    const { result } = FILES[codec];
    for (let at = 0; at < patch.length; at += 5) {
      const damaged = Buffer.from(patch);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 4, at);
      await writeFile(path("patch"), damaged);
      const outcome = await applyPatch(kindOf(codec), path("base"), path("patch"), path("out"), limitsOf(codec)).catch(
        (error: unknown) => error,
      );
      if (outcome === undefined) {
        expect(await readFile(path("out"))).toEqual(result);
        await rm(path("out"));
      } else {
        expect(outcome).toMatchObject({ name: "PatchError" });
        expect(await readdir(folder())).not.toContain("out");
      }
    }
  });

  it("is refused if it is for another base, result or format", async () => {
    const { base } = FILES[codec];
    await writeFile(path("base"), Buffer.concat([base, Buffer.from("x")]));
    await expectRefused(codec, patch, ["base_mismatch"]);
    await writeFile(path("base"), base);
    const other = { ...limitsOf(codec), resultSha256: sha256Of(base) };
    const swapped = applyPatch(kindOf(codec), path("base"), path("patch"), path("out"), other);
    await expect(swapped).rejects.toMatchObject({ code: "result_mismatch" });
    const otherKind = applyPatch(
      kind === "csvgz" ? "mmdb" : "csvgz",
      path("base"),
      path("patch"),
      path("out"),
      limitsOf(codec),
    );
    await expect(otherKind).rejects.toMatchObject({ code: "invalid" });
    const future = Buffer.from(patch);
    future.writeUInt8(9, "dbdpatch".length + 1);
    await expectRefused(codec, future, ["unsupported"]);
  });

  it("is refused if another size was announced", async () => {
    const { resultBytes, resultSha256 } = limitsOf(codec);
    for (const announced of [resultBytes - 1, resultBytes + 1, 0]) {
      const limits = { resultBytes: announced, resultSha256 };
      const applying = applyPatch(kindOf(codec), path("base"), path("patch"), path("out"), limits);
      await expect(applying).rejects.toMatchObject({ name: "PatchError" });
    }
    expect(await readdir(folder())).not.toContain("out");
  });

  it("is refused if the base changes after its digest was computed", async () => {
    const changed = Buffer.from(FILES[codec].base);
    changed.writeUInt8(changed.readUInt8(changed.length >> 1) ^ 1, changed.length >> 1);
    await writeFile(path("base"), changed);
    const applying = CODECS[codec].apply(path("base"), path("patch"), limitsOf(codec), drain);
    await expect(applying).rejects.toMatchObject({ name: "PatchError" });
  });

  it("is refused if it expands to far more than the result", async () => {
    const bomb = brotliCompressSync(Buffer.alloc(50_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    await expectRefused(codec, Buffer.concat([patch.subarray(0, HEADER_BYTES), bomb]), ["invalid", "result_mismatch"]);
  });

  describe("with a hostile body", () => {
    const trailer = Buffer.concat([container(6), FILES.csvgz.result.subarray(-8)]);
    const bodies: Record<CodecName, Record<string, Buffer>> = {
      csvgz: {
        "copies past the end": Buffer.concat([trailer, varints(5000 * 4 + EDITS.copy)]),
        "copies almost for ever": Buffer.concat([trailer, varints((2 ** 33 - 1) * 4 + EDITS.copy)]),
        "skips past the end": Buffer.concat([trailer, varints(5000 * 4 + EDITS.skip)]),
        "announces an endless line": Buffer.concat([trailer, varints(2 ** 32 * 4 + EDITS.insert)]),
        "announces a longer line than it has": Buffer.concat([trailer, varints(1000 * 4 + EDITS.insert)]),
        "keeps more of a line than there is": Buffer.concat([trailer, varints(10 * 4 + EDITS.replace, 10, 0)]),
        "replaces after the end": Buffer.concat([trailer, varints(300 * 4 + EDITS.copy, EDITS.replace, 0, 0)]),
        "contains a number without end": Buffer.concat([trailer, Buffer.alloc(20, 0xff)]),
        "is empty": Buffer.alloc(0),
        "compresses at no level": Buffer.concat([container(0), varints(EDITS.copy + 4 * 300)]),
        "compresses in an unknown way": Buffer.concat([container(2 * 16 + 6), varints(EDITS.copy + 4 * 300)]),
        "has an endless header": varints(6, 2 ** 34),
        "leads to another text": Buffer.concat([trailer, varints(299 * 4 + EDITS.copy)]),
        "repeats short lines": Buffer.concat([trailer, ...Array<Buffer>(200_000).fill(varints(4 + EDITS.insert, 10))]),
      },
      mmdb: mmdbBodies(),
      binary: binaryBodies(),
    };

    it.each(Object.keys(bodies[codec]))("is refused if it %s", async (name) => {
      const body = brotliCompressSync(bodies[codec][name] as Buffer);
      await expectRefused(codec, Buffer.concat([patch.subarray(0, HEADER_BYTES), body]), [
        "invalid",
        "result_mismatch",
      ]);
    });
  });

  it("contains no more than its parts", () => {
    const body = brotliDecompressSync(patch.subarray(HEADER_BYTES));
    expect(body.length).toBeLessThan(CODECS[codec].maxBodyBytes(FILES[codec].result.length));
  });
});

it.each([
  ["inserts nothing", [EDITS.insert]],
  ["copies no lines", [EDITS.copy]],
  ["skips no lines", [EDITS.skip]],
  ["leaves nothing of a line", [EDITS.replace, 0, 0]],
])("a patch of a csvgz is refused at the first edit that %s", async (_, edit) => {
  const { base, result } = FILES.csvgz;
  await writeFile(path("base"), base);
  await writeFile(path("result"), result);
  await makePatch("csvgz", path("base"), path("result"), path("valid"), { maxPatchBytes: 1e6 });
  const valid = await readFile(path("valid"));
  const body = brotliDecompressSync(valid.subarray(HEADER_BYTES));
  // The rest leads to the right file, so only the edits themselves can be the reason.
  const trailerBytes = container(6).length + 8;
  const idle = Array<Buffer>(1000).fill(varints(...edit));
  const hostile = Buffer.concat([body.subarray(0, trailerBytes), ...idle, body.subarray(trailerBytes)]);
  const patch = Buffer.concat([valid.subarray(0, HEADER_BYTES), brotliCompressSync(hostile)]);
  await expectRefused("csvgz", patch, ["invalid"]);
});

function binaryBodies(): Record<string, Buffer> {
  const { base, result } = FILES.binary;
  const [COPY, INSERT] = [0, 1];
  const part = (bytes: Buffer) => Buffer.concat([varints(bytes.length), bytes]);
  const section = (items: number, edits: Buffer, differences = Buffer.alloc(0), added = Buffer.alloc(0)) =>
    Buffer.concat([varints(items), ...[edits, differences, added].map(part), varints(0)]);
  const copy = (length: number, distance: number) =>
    section(1, varints(length * 2 + COPY, distance), Buffer.alloc(length));
  return {
    "has no sections": Buffer.alloc(0),
    "never ends": varints(1, 0, 0, 0),
    "announces a part that is missing": varints(1, 2 ** 34),
    "copies from before the start": copy(10, 1),
    "copies past the end": copy(10, 2 * (base.length - 5)),
    "copies no bytes": section(1, varints(COPY, 0)),
    "copies too many bytes": copy(2 ** 17, 0),
    "inserts no bytes": section(1, varints(INSERT)),
    "inserts bytes that are missing": section(1, varints(10 * 2 + INSERT)),
    "has fewer edits than announced": section(2, varints(2 + INSERT), undefined, Buffer.alloc(1)),
    "writes too much": Buffer.concat(Array<Buffer>(3).fill(copy(base.length, 0).subarray(0, -1))),
    "writes something else": section(1, varints(result.length * 2 + INSERT), undefined, Buffer.alloc(result.length)),
  };
}

/** Bodies whose parts are complete, but make no sense. */
function mmdbBodies(): Record<string, Buffer> {
  const { result } = FILES.mmdb;
  const metadata = result.subarray(result.lastIndexOf("\xab\xcd\xefMaxMind.com", undefined, "latin1"));
  const { nodeCount } = readMetadata(metadata, "invalid");
  const none: Buffer = Buffer.alloc(0);
  const end = varints(0);
  const part = (bytes: Buffer) => Buffer.concat([varints(bytes.length), bytes]);
  const section = (items: number, ...parts: Buffer[]) => Buffer.concat([varints(items), ...parts.map(part)]);
  const pairs = (items: number, runs: Buffer, ...rest: Buffer[]) =>
    Buffer.concat([part(metadata), section(items, runs), end, ...rest]);
  const values = (items: number, script: Buffer, bytes = none, targets = none, misses = none) =>
    Buffer.concat([part(metadata), end, section(items, script, bytes, targets, misses), end]);
  const tree = (items: number, misses: Buffer, codes: Buffer) =>
    pairs(1, varints(2 * nodeCount + 1), end, section(items, misses, codes), end);
  const script = (...edits: number[]) => values(1, varints(4 + RUNS.change, 0, ...edits));
  return {
    "has no parts": none,
    "announces a part that is missing": varints(2 ** 34),
    "announces a piece that is too long": Buffer.concat([varints(2 ** 21), Buffer.alloc(2 ** 21)]),
    "has no metadata": part(none),
    "has metadata without a tree": part(Buffer.from("\xab\xcd\xefMaxMind.com\xe0", "latin1")),
    "never ends": part(metadata),
    "pairs nodes that do not exist": pairs(1, varints(2, 2 * 5000)),
    "pairs nodes before the first": pairs(1, varints(2, 1)),
    "pairs no nodes": pairs(1, varints(0, 0)),
    "pairs nodes almost for ever": pairs(1, varints(2 ** 34, 0)),
    "has fewer nodes than the metadata says": pairs(1, varints(2, 0), end, end),
    "has fewer runs than items": pairs(1000, varints(2, 0)),
    "copies values that do not exist": values(1000, varints(4 * 1000, 0)),
    "copies more values than it has": values(1, varints(4 * 2, 0)),
    "copies no values": values(1, varints(0, 0)),
    "copies a value before the first": values(1, varints(4, 99)),
    "copies a value after the last": values(1, varints(4, 2 ** 20)),
    "copies from the middle of a value": values(1, varints(4, 4)),
    "copies almost for ever": values(2 ** 33, varints(2 ** 34, 0)),
    "has a run of an unknown kind": values(1, varints(4 + 3, 0)),
    "has a new value without bytes": values(1, varints(4 + RUNS.insert)),
    "has a value that never ends": values(1, varints(4 + RUNS.insert), Buffer.from([0x5f, 0xff, 0xff, 0xff])),
    "has a value of endless depth": values(1, varints(4 + RUNS.insert), Buffer.alloc(100_000, 0xe1)),
    "has a map with millions of entries": values(1, varints(4 + RUNS.insert), Buffer.from([0xff, 0xff, 0xff, 0xff])),
    "points nowhere": values(1, varints(4 + RUNS.insert), Buffer.from([0x20])),
    "points to a value that is missing": values(1, varints(4 + RUNS.insert), Buffer.from([0x20]), varints(2 * 7)),
    "points before the data": values(1, varints(4 + RUNS.insert), Buffer.from([0x20]), varints(2 * 2 * 7 + 1)),
    "points far after the data": values(
      1,
      varints(4 + RUNS.insert),
      Buffer.from([0x20]),
      varints(2 * (2 ** 33 - 1) + 1),
    ),
    "skips no tokens": script(EDITS_OF_VALUES.skip, 0),
    "skips tokens that do not exist": script(4 * 1000 + EDITS_OF_VALUES.skip, 0),
    "inserts tokens without bytes": script(4 * 2 ** 30 + EDITS_OF_VALUES.insert, 0),
    "changes tokens without bytes": script(4 * 2 ** 30 + EDITS_OF_VALUES.difference, 0),
    "has a script without end": script(4 + EDITS_OF_VALUES.skip),
    "refers to a node that does not exist": tree(1, varints(0), varints(4 * 2 * 4000 + RECORDS.node)),
    "refers to a node before the first": tree(1, varints(0), varints(4 + RECORDS.node)),
    "refers to a value that does not exist": tree(1, varints(0), varints(4 * 2 * 4000 + RECORDS.newValue)),
    "refers to a value before the first": tree(1, varints(0), varints(4 + RECORDS.newValue)),
    "refers to a value of the base that is gone": tree(1, varints(0), varints(RECORDS.knownValue)),
    "refers to a value of the base that never was": tree(1, varints(0), varints(2 ** 34 + RECORDS.knownValue)),
    "has a record without bytes": tree(1, varints(0), none),
    "has more nodes than the metadata says": tree(1000, none, none),
    "leads to another tree": tree(nodeCount, varints(1), varints(RECORDS.nothing)),
  };
}

it("reads numbers of 35 bits", () => {
  for (const number of [0, 127, 128, 2 ** 32, 2 ** 35 - 1]) {
    expect(new PartReader(varints(number)).varint()).toBe(number);
  }
});
