import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { beforeEach, describe, expect, it } from "vitest";
import { buildMmdb, numbered } from "../../exporter/test/mmdb/build-mmdb.ts";
import { CSVGZ_CODEC } from "../src/csv/csv-patch.ts";
import { EDITS } from "../src/csv/edit-script.ts";
import { HEADER_BYTES } from "../src/header.ts";
import { applyPatch, makePatch, type PatchKind } from "../src/index.ts";
import { MMDB_CODEC } from "../src/mmdb/mmdb-patch.ts";
import { appendVarint, PartReader } from "../src/varint.ts";
import { drain } from "../src/verified.ts";
import { useFolder } from "./folder.ts";
import { sha256Of } from "./histories.ts";

// Every patch in this file is damaged or hostile. Each must be refused, and leave no file behind.

const folder = useFolder();
const path = (name: string) => join(folder(), name);

const LINES = Array.from({ length: 300 }, (_, i) => `10.0.${i}.0/24,${i}\n`).join("");
const FILES: Record<PatchKind, { base: Buffer; result: Buffer }> = {
  csvgz: { base: gzipSync(LINES, GZIP_OPTIONS), result: gzipSync(LINES.replace(",150\n", ",x\n"), GZIP_OPTIONS) },
  mmdb: {
    base: buildMmdb(numbered(["10.0.0.0/8", "10.1.0.0/16", "2001:db8::/32"])).file,
    result: buildMmdb(numbered(["10.0.0.0/8", "10.2.0.0/16", "2001:db8::/32", "2001:db9::/32"])).file,
  },
};
const CODECS = { csvgz: CSVGZ_CODEC, mmdb: MMDB_CODEC };

const limitsOf = (kind: PatchKind) => {
  const { result } = FILES[kind];
  return { resultBytes: result.length, resultSha256: sha256Of(result) };
};

function varints(...numbers: number[]): Buffer {
  const bytes = new ByteList(64);
  for (const number of numbers) appendVarint(bytes, number);
  return bytes.view();
}

async function expectRefused(kind: PatchKind, patch: Buffer, codes: string[]): Promise<void> {
  await writeFile(path("patch"), patch);
  const applying = applyPatch(kind, path("base"), path("patch"), path("out"), limitsOf(kind));
  const error = await applying.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: "PatchError" });
  expect(codes).toContain((error as { code: string }).code);
  expect(await readdir(folder())).not.toContain("out");
}

describe.each(["csvgz", "mmdb"] as const)("a patch of a %s", (kind) => {
  let patch: Buffer;
  beforeEach(async () => {
    await writeFile(path("base"), FILES[kind].base);
    await writeFile(path("result"), FILES[kind].result);
    await makePatch(kind, path("base"), path("result"), path("patch"), { maxPatchBytes: 1e6 });
    patch = await readFile(path("patch"));
  });

  it("is refused if it is truncated anywhere", async () => {
    for (let length = 0; length < patch.length; length += length < HEADER_BYTES ? 15 : 3) {
      await expectRefused(kind, patch.subarray(0, length), ["invalid", "result_mismatch"]);
    }
  });

  it("is refused if a bit is wrong, or leads to the right file nevertheless", async () => {
    const { result } = FILES[kind];
    for (let at = 0; at < patch.length; at += 5) {
      const damaged = Buffer.from(patch);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 4, at);
      await writeFile(path("patch"), damaged);
      const outcome = await applyPatch(kind, path("base"), path("patch"), path("out"), limitsOf(kind)).catch(
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
    const { base } = FILES[kind];
    await writeFile(path("base"), Buffer.concat([base, Buffer.from("x")]));
    await expectRefused(kind, patch, ["base_mismatch"]);
    await writeFile(path("base"), base);
    const other = { ...limitsOf(kind), resultSha256: sha256Of(base) };
    const swapped = applyPatch(kind, path("base"), path("patch"), path("out"), other);
    await expect(swapped).rejects.toMatchObject({ code: "result_mismatch" });
    await expectRefused(kind === "csvgz" ? "mmdb" : "csvgz", patch, ["invalid"]);
    const future = Buffer.from(patch);
    future.writeUInt8(9, "dbdpatch".length + 1);
    await expectRefused(kind, future, ["unsupported"]);
  });

  it("is refused if another size was announced", async () => {
    const { resultBytes, resultSha256 } = limitsOf(kind);
    for (const announced of [resultBytes - 1, resultBytes + 1, 0]) {
      const limits = { resultBytes: announced, resultSha256 };
      const applying = applyPatch(kind, path("base"), path("patch"), path("out"), limits);
      await expect(applying).rejects.toMatchObject({ name: "PatchError" });
    }
    expect(await readdir(folder())).not.toContain("out");
  });

  it("is refused if the base changes after its digest was computed", async () => {
    const changed = Buffer.from(FILES[kind].base);
    changed.writeUInt8(changed.readUInt8(changed.length >> 1) ^ 1, changed.length >> 1);
    await writeFile(path("base"), changed);
    const applying = CODECS[kind].apply(path("base"), path("patch"), limitsOf(kind), drain);
    await expect(applying).rejects.toMatchObject({ name: "PatchError" });
  });

  it("is refused if it expands to far more than the result", async () => {
    const bomb = brotliCompressSync(Buffer.alloc(50_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    await expectRefused(kind, Buffer.concat([patch.subarray(0, HEADER_BYTES), bomb]), ["invalid"]);
  });

  describe("with a hostile body", () => {
    const trailer = FILES.csvgz.result.subarray(-8);
    const bodies: Record<PatchKind, Record<string, Buffer>> = {
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
        "leads to another text": Buffer.concat([trailer, varints(299 * 4 + EDITS.copy)]),
        "repeats short lines": Buffer.concat([trailer, ...Array<Buffer>(200_000).fill(varints(4 + EDITS.insert, 10))]),
      },
      mmdb: mmdbBodies(),
    };

    it.each(Object.keys(bodies[kind]))("is refused if it %s", async (name) => {
      const body = brotliCompressSync(bodies[kind][name] as Buffer);
      await expectRefused(kind, Buffer.concat([patch.subarray(0, HEADER_BYTES), body]), ["invalid", "result_mismatch"]);
    });
  });

  it("contains no more than its parts", () => {
    const body = brotliDecompressSync(patch.subarray(HEADER_BYTES));
    expect(body.length).toBeLessThan(CODECS[kind].maxBodyBytes(FILES[kind].result.length));
  });
});

/** Bodies whose parts are complete, but make no sense. */
function mmdbBodies(): Record<string, Buffer> {
  const { result } = FILES.mmdb;
  const metadata = result.subarray(result.lastIndexOf("\xab\xcd\xefMaxMind.com", undefined, "latin1"));
  const none: Buffer = Buffer.alloc(0);
  const body = (...parts: Buffer[]) => Buffer.concat(parts.flatMap((part) => [varints(part.length), part]));
  const values = (runs: Buffer, bytes = none, pointers = none) => body(metadata, runs, bytes, pointers);
  const keepAll = [varints(0), none, none];
  const segments = (runs: Buffer, starts = none, references = none) =>
    body(metadata, varints(2, 0), none, none, runs, starts, references, ...keepAll);
  return {
    "has no parts": none,
    "announces a part that is missing": varints(2 ** 34),
    "has no metadata": body(none, none, none, none),
    "has metadata without a tree": body(Buffer.from("\xab\xcd\xefMaxMind.com\xe0", "latin1")),
    "copies values that do not exist": values(varints(2000, 0)),
    "copies a value twice": values(varints(2, 0, 2, 1)),
    "copies a value before the first": values(varints(2, 99)),
    "copies almost for ever": values(varints(2 ** 34, 0)),
    "has a new value without bytes": values(varints(3)),
    "has a value that never ends": values(varints(3), Buffer.from([0x5f, 0xff, 0xff, 0xff])),
    "has a value of endless depth": values(varints(3), Buffer.alloc(1000, 0xe1)),
    "has a map with millions of entries": values(varints(3), Buffer.from([0xff, 0xff, 0xff, 0xff])),
    "points to a value that is missing": values(varints(3), Buffer.from([0x20]), varints(7)),
    "points to itself": values(varints(3), Buffer.from([0x20]), varints(0)),
    "points nowhere": values(varints(3), Buffer.from([0x20])),
    "keeps ranges that do not exist": segments(varints(2 ** 30 * 4)),
    "removes ranges that do not exist": segments(varints(2 ** 30 * 4 + 1)),
    "removes all ranges": segments(none),
    "inserts ranges without end": segments(varints(2 ** 30 * 4 + 2), varints(0, 0, 0, 0), varints(0)),
    "does not begin at the first address": segments(varints(4 + 2), varints(0, 0, 0, 2), varints(0)),
    "inserts a range twice": segments(varints(2 * 4 + 2), varints(0, 0, 0, 0, 0, 0, 0, 0), varints(0, 2)),
    "inserts ranges in the wrong order": segments(
      varints(3 * 4 + 2),
      varints(0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1),
      varints(0, 2, 1),
    ),
    "refers to a value that is missing": segments(varints(4 + 2), varints(0, 0, 0, 0), varints(1000)),
    "refers to a negative value": segments(varints(4 + 2), varints(0, 0, 0, 0), varints(9)),
  };
}

it("reads numbers of 35 bits", () => {
  for (const number of [0, 127, 128, 2 ** 32, 2 ** 35 - 1]) {
    expect(new PartReader(varints(number)).varint()).toBe(number);
  }
});
