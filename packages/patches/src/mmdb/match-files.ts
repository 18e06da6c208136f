import { Uint32List, wordAt } from "@dbdepot/formats/mmdb/uint32-list";
import { matchEqual } from "../hash-matches.ts";
import { ContentHashes } from "./content-hashes.ts";
import type { MmdbFile } from "./mmdb-file.ts";
import type { OffsetSet } from "./offset-set.ts";
import { findTargets } from "./projection.ts";
import { FIRST_VALUE, offsetOf } from "./tree-reader.ts";

/** The parts of one file from which a patch is made. */
export interface MappedFile extends MmdbFile {
  targets: OffsetSet;
  /** The offset of each value. */
  offsets: Uint32Array;
  contents: ContentHashes;
}

export interface FileMatches {
  /** The node of the base in the same place as each node of the result, or -1. */
  nodes: Int32Array;
  /** The offset of the similar value of the base for each value of the result, or -1. */
  values: Int32Array;
}

export function mapFile(file: MmdbFile): MappedFile {
  file.tree.load();
  const offsets = new Uint32List();
  const targets = findTargets(file, (offset) => offsets.push(offset));
  return { ...file, targets, offsets: offsets.view(), contents: new ContentHashes(file.data, targets) };
}

/**
 * Matches equal values first. A value that is new replaces the one that the same addresses had before, or else the
 * next one of the base: values are mostly in the same order.
 */
export function matchFiles(base: MappedFile, result: MappedFile): FileMatches {
  const equal = matchEqual(base.contents.ofValues(base.offsets), result.contents.ofValues(result.offsets));
  const isUsed = new Uint8Array(base.offsets.length);
  for (const match of equal) if (match >= 0) isUsed[match] = 1;
  const nodes = pairNodes(base, result, (from, to) => {
    const value = indexOf(result.offsets, to);
    if (value === -1 || (equal[value] as number) >= 0) return;
    const old = indexOf(base.offsets, from);
    if (old === -1 || isUsed[old]) return;
    equal[value] = old;
    isUsed[old] = 1;
  });
  let next = 0;
  for (let value = 0; value < equal.length; value++) {
    const match = equal[value] as number;
    if (match >= 0) next = match + 1;
    else if (next < isUsed.length && !isUsed[next]) {
      isUsed[next] = 1;
      equal[value] = next++;
    }
  }
  const values = equal.map((match) => (match < 0 ? -1 : wordAt(base.offsets, match)));
  return { nodes, values };
}

/** Walks both trees at the same time, and passes on the offsets of values that the same addresses have. */
function pairNodes(base: MappedFile, result: MappedFile, onValues: (from: number, to: number) => void): Int32Array {
  const UNVISITED = -2;
  const pairs = new Int32Array(result.tree.nodeCount).fill(UNVISITED);
  const stack: [from: number, to: number][] = [[0, 0]];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [from, to] = top;
    // Equal subtrees may be stored once. The first place counts.
    if (pairs[to] !== UNVISITED) continue;
    pairs[to] = Math.max(from, -1);
    for (let side = 1; side >= 0; side--) {
      const next = result.tree.reference(to, side);
      const old = from >= 0 ? base.tree.reference(from, side) : from;
      if (next >= 0) stack.push([old, next]);
      else if (next <= FIRST_VALUE && old <= FIRST_VALUE) onValues(offsetOf(old), offsetOf(next));
    }
  }
  // A file may have nodes that no address leads to.
  return pairs.map((pair) => Math.max(pair, -1));
}

/** The index of an offset at which a value begins, or -1. */
function indexOf(offsets: Uint32Array, offset: number): number {
  let low = 0;
  for (let high = offsets.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (wordAt(offsets, middle) < offset) low = middle + 1;
    else high = middle;
  }
  return offsets[low] === offset ? low : -1;
}
