import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import type { Codec } from "../codec.ts";
import { decompressedBody } from "../decompressed-body.ts";
import { PatchError } from "../patch-error.ts";
import { ScriptReader } from "../script-reader.ts";
import { readPart, readSections } from "../sections.ts";
import { appendVarint } from "../varint.ts";
import { type ApplyLimits, verified } from "../verified.ts";
import { TREE_PARTS, TreeApplier } from "./apply-tree.ts";
import { ValueApplier } from "./apply-values.ts";
import { pairSections, treeSections } from "./diff-tree.ts";
import { ValueDiffer } from "./diff-values.ts";
import { mapFile, matchFiles } from "./match-files.ts";
import { type MmdbFile, openMmdb, readMetadata } from "./mmdb-file.ts";
import { NodePairs, PAIR_PARTS } from "./node-pairs.ts";
import { findTargets, Projection } from "./projection.ts";
import { VALUE_PARTS } from "./value-script.ts";

/**
 * A patch of the values and the nodes of the search tree. Whatever refers to a value or a node follows it to its new place, so only
 * what refers to something else is in the patch. That holds for every writer, because the order of values and nodes is part of the
 * patch too, and costs next to nothing while it stays the same.
 */
export const MMDB_CODEC: Codec = {
  body: patchBody,
  maxBodyBytes: (resultBytes) => resultBytes + 2 ** 16,
  async apply(basePath, patchPath, limits, write) {
    using base = openMmdb(basePath);
    await write(verified(patched(base, patchPath, limits), limits));
  },
};

/** Yields the metadata, the pairs of nodes, the edits of the values, and those of the tree. */
async function* patchBody(
  basePath: string,
  resultPath: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  using baseFile = openMmdb(basePath);
  using resultFile = openMmdb(resultPath);
  const base = mapFile(baseFile);
  const result = mapFile(resultFile);
  const length = new ByteList(8);
  appendVarint(length, result.metadata.length);
  yield length.view();
  yield result.metadata;
  const matches = matchFiles(base, result);
  const pairs = new NodePairs(base.tree.nodeCount);
  const projection = new Projection(base.targets);
  const known = new Uint32Array(result.targets.size);
  for (const sections of [
    pairSections(matches.nodes, pairs),
    new ValueDiffer(base, result, projection, known).sections(matches.values),
    treeSections(base, result, { pairs, projection, known }),
  ]) {
    for (const section of sections) {
      signal?.throwIfAborted();
      yield section;
    }
  }
}

/**
 * Yields the result. The tree comes first, but refers to the values, so the values are made twice: first only to know where
 * they are. They may take as much memory as everything else.
 */
async function* patched(
  base: MmdbFile,
  patchPath: string,
  { resultBytes, signal }: ApplyLimits,
): AsyncGenerator<Uint8Array> {
  const projection = new Projection(findTargets(base));
  for (const isForTree of [true, false]) {
    const body = decompressedBody(patchPath, signal);
    const script = new ScriptReader(body, MMDB_CODEC.maxBodyBytes(resultBytes));
    try {
      const metadata = (await readPart(script)).bytes;
      const { nodeCount, recordSizeBits } = readMetadata(metadata, "invalid");
      const maxNodes = Math.floor((resultBytes * 4) / recordSizeBits);
      if (nodeCount > maxNodes) throw new PatchError("invalid", "the patch creates more nodes than announced");
      const pairs = new NodePairs(isForTree ? base.tree.nodeCount : 0);
      for await (const { items, parts } of readSections(script, PAIR_PARTS)) {
        if (isForTree) for (const part of parts) pairs.read(items, part, nodeCount);
      }
      projection.clear();
      const values = new ValueApplier(base.data, projection, resultBytes);
      for await (const { items, parts } of readSections(script, VALUE_PARTS)) {
        for (const chunk of values.section(items, parts)) if (!isForTree) yield chunk;
      }
      const rest = values.rest();
      if (isForTree) {
        const layout = { nodeCount, recordSizeBits, dataBytes: values.length };
        const tree = new TreeApplier(base.tree, pairs, projection, layout);
        for await (const { items, parts } of readSections(script, TREE_PARTS)) yield* tree.section(items, parts);
        if (tree.nodes !== nodeCount) throw new PatchError("invalid", "the patch has too few nodes");
        yield new Uint8Array(SEPARATOR_BYTES);
      } else {
        yield rest;
        yield metadata;
      }
    } finally {
      await script.close();
    }
  }
}
