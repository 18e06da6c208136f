import { closeSync, fstatSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import type { Codec } from "../codec.ts";
import { decompressedBody } from "../decompressed-body.ts";
import { readRange } from "../files.ts";
import { PatchError } from "../patch-error.ts";
import { ScriptReader } from "../script-reader.ts";
import { readSections, SectionWriter } from "../sections.ts";
import { appendSigned, appendVarint, type PartReader } from "../varint.ts";
import { type ApplyLimits, verified } from "../verified.ts";
import { alignBytes } from "./align-bytes.ts";

/** The edits, the differences of copied bytes, and the new bytes. */
const PARTS = 3;
/** An edit is twice a number of bytes plus one of these. For `copy`, the distance from the end of the last copied bytes follows. */
const EDITS = { copy: 0, insert: 1 };
/** Longer pieces are divided. */
const MAX_EDIT_BYTES = 1 << 16;
const CHUNK_BYTES = 1 << 18;

/**
 * A patch of any file, which knows nothing about its format. It is many times as large as one that does, so it is only made for
 * files that the other codecs cannot read.
 */
export const BINARY_CODEC: Codec = {
  body: patchBody,
  // A match has at least nine bytes, and its edit at most fifteen.
  maxBodyBytes: (resultBytes) => 3 * resultBytes + 2 ** 16,
  apply: (basePath, patchPath, limits, write) => write(verified(patched(basePath, patchPath, limits), limits)),
};

async function* patchBody(
  basePath: string,
  resultPath: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const base = await readFile(basePath);
  const result = await readFile(resultPath);
  const section = new SectionWriter(PARTS);
  const [edits, differences, added] = section.parts as [ByteList, ByteList, ByteList];
  let baseAt = 0;
  for (const { start, end, from } of alignBytes(base, result)) {
    for (let at = start; at < end; at += MAX_EDIT_BYTES) {
      signal?.throwIfAborted();
      const bytes = result.subarray(at, Math.min(end, at + MAX_EDIT_BYTES));
      appendVarint(edits, bytes.length * 2 + (from < 0 ? EDITS.insert : EDITS.copy));
      if (from < 0) {
        added.pushBytes(bytes);
      } else {
        const old = from + at - start;
        appendSigned(edits, old - baseAt);
        for (let i = 0; i < bytes.length; i++) {
          differences.pushByte(((bytes[i] as number) - (base[old + i] as number)) & 0xff);
        }
        baseAt = old + bytes.length;
      }
      section.addItems(1);
      if (section.isFull) yield section.take();
    }
  }
  yield* section.end();
}

/** Yields the result in chunks, each of which is overwritten by the next one. The base is read piece by piece. */
async function* patched(
  basePath: string,
  patchPath: string,
  { resultBytes, signal }: ApplyLimits,
): AsyncGenerator<Uint8Array> {
  const script = new ScriptReader(decompressedBody(patchPath, signal), BINARY_CODEC.maxBodyBytes(resultBytes));
  const base = openSync(basePath, "r");
  try {
    const { size } = fstatSync(base);
    const out = new ByteList(2 * CHUNK_BYTES);
    const old = Buffer.allocUnsafe(MAX_EDIT_BYTES);
    let baseAt = 0;
    for await (const { items, parts } of readSections(script, PARTS)) {
      const [edits, differences, added] = parts as [PartReader, PartReader, PartReader];
      for (let left = items; left > 0; left--) {
        const edit = edits.varint();
        const kind = edit % 2;
        const length = (edit - kind) / 2;
        if (length === 0 || length > MAX_EDIT_BYTES) {
          throw new PatchError("invalid", "the patch contains an edit of no or too many bytes");
        }
        if (kind === EDITS.insert) {
          out.pushBytes(added.take(length));
        } else {
          baseAt += edits.signed();
          if (baseAt < 0 || length > size - baseAt) {
            throw new PatchError("invalid", "the patch reads past the end of the base");
          }
          readRange(base, baseAt, old.subarray(0, length));
          const difference = differences.take(length);
          for (let i = 0; i < length; i++) out.pushByte(((old[i] as number) + (difference[i] as number)) & 0xff);
          baseAt += length;
        }
        if (out.length < CHUNK_BYTES) continue;
        yield out.view();
        out.clear();
      }
    }
    yield out.view();
  } finally {
    closeSync(base);
    await script.close();
  }
}
