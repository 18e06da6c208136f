import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";
import { describe, expect, it } from "vitest";
import { Random } from "../../../rigs/harness/random.ts";
import { buildMmdb, numbered } from "../../exporter/test/mmdb/build-mmdb.ts";
import { applyCsvPatch } from "../src/csv/csv-patch.ts";
import { COMPRESSORS, type Compress } from "../src/csv/gzip.ts";
import { applyPatch, makePatch, type PatchKind, readPatchHeader } from "../src/index.ts";
import { drain } from "../src/verified.ts";
import { useFolder } from "./folder.ts";
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
    expect(await readPatchHeader(path("patch"))).toEqual({
      kind,
      formatVersion: 1,
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
      () => readPatchHeader(missing),
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

  it("may have been compressed in another way, as long as the new one was not", async () => {
    const { from, to } = EXAMPLES.csvgz;
    const other = Buffer.concat([gzipSync(gunzipSync(from), { level: 9 }), gzipSync("more,1\n")]);
    expect(await throughPatch("csvgz", other, to, folder())).toEqual(to);
    await expect(throughPatch("csvgz", from, gzipSync(gunzipSync(to), { level: 1 }), folder())).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("compressed in a way that cannot be reproduced"),
    });
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
    const [, withPako] = COMPRESSORS as [Compress, Compress];
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
      await applyCsvPatch(path("base"), path("patch"), limits, drain, compressors);
    }
    expect(tried).toEqual(["smaller", "larger"]);
    const applying = applyCsvPatch(path("base"), path("patch"), limits, drain, [otherZlib("only", 9)]);
    await expect(applying).rejects.toMatchObject({ code: "unsupported" });
  });

  it("gets the same bytes from pako as from the zlib of Node.js", async () => {
    const random = new Random(1);
    const word = () => random.pick(["US", "DE", "Acme", "10.0.", "true", "\n", "\u00e4", `${random.integer(0, 1e6)}`]);
    const text = Buffer.from(Array.from({ length: 60_000 }, word).join(","));
    for (const input of [text, random.bytes(100_000), Buffer.alloc(200_000), Buffer.alloc(0)]) {
      const compressed = COMPRESSORS.map(async (compress) => {
        const chunks = async function* () {
          for (let at = 0; at < input.length; at += 7777) yield input.subarray(at, at + 7777);
        };
        return Buffer.concat(await Array.fromAsync(compress(chunks())));
      });
      const [zlib, pako] = await Promise.all(compressed);
      expect(pako?.equals(zlib as Buffer)).toBe(true);
      expect(zlib?.equals(gzipped(input))).toBe(true);
    }
  });
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

  it("is not patched if its layout cannot be reproduced", async () => {
    const { from } = EXAMPLES.mmdb;
    const { file, nodeCount } = buildMmdb(numbered(["10.0.0.0/8"]), 24);
    const lastNode = (nodeCount - 1) * 6;
    // A node whose records are equal is not needed, so our layout has none.
    const wasteful = Buffer.from(file).copyWithin(lastNode, lastNode + 3, lastNode + 6);
    const looped = Buffer.from(from).fill(0, 0, 6);
    for (const foreign of [looped, wasteful, Buffer.from("no mmdb"), from.subarray(0, 100)]) {
      await expect(throughPatch("mmdb", from, foreign, folder())).rejects.toMatchObject({ code: "unsupported" });
    }
  });
});
