import type { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { Uint32List } from "@dbdepot/formats/mmdb/uint32-list";
import { PatchError } from "../patch-error.ts";
import { appendSigned, appendVarint, type PartReader } from "../varint.ts";
import { UNPREDICTED } from "./tree-reader.ts";

export const PAIR_PARTS = 1;

interface Run {
  length: number;
  /** The pair of the first node, or -1 if the nodes are new. */
  base: number;
}

/**
 * Pairs of nodes that are in the same place in the base and in the result. A run is twice its length, plus one if its
 * nodes are new. Otherwise the distance follows from the end of the last pairs to the first node of the base. The nodes
 * of a run are adjacent in both trees.
 */
export class NodePairs {
  /** The node of the result plus one, for each node of the base. */
  readonly #results: Uint32Array;
  readonly #lengths = new Uint32List();
  /** The first node of the base plus one, or zero. */
  readonly #bases = new Uint32List();
  #nodes = 0;
  #baseAt = 0;
  #run = 0;
  #inRun = 0;

  constructor(baseNodes: number) {
    this.#results = new Uint32Array(baseNodes);
  }

  get length(): number {
    return this.#nodes;
  }

  /** The node of the result that replaces a node of the base. */
  resultOf(base: number): number {
    const result = this.#results[base] ?? 0;
    return result === 0 ? UNPREDICTED : result - 1;
  }

  /** The pair of the next node of the result, or -1. */
  next(): number {
    if (this.#run === this.#lengths.length) throw new PatchError("invalid", "the patch has too few nodes");
    const first = this.#bases.at(this.#run) - 1;
    const base = first < 0 ? -1 : first + this.#inRun;
    if (++this.#inRun === this.#lengths.at(this.#run)) {
      this.#run++;
      this.#inRun = 0;
    }
    return base;
  }

  add(length: number, base: number): void {
    this.#lengths.push(length);
    this.#bases.push(base + 1);
    if (base >= 0) for (let i = 0; i < length; i++) this.#results[base + i] = this.#nodes + i + 1;
    this.#nodes += length;
  }

  /** Reads runs. More than `maxNodes` nodes make the patch invalid. */
  read(items: number, part: PartReader, maxNodes: number): void {
    for (let left = items; left > 0; left--) {
      const run = part.varint();
      const length = Math.floor(run / 2);
      if (length === 0 || length > maxNodes - this.#nodes)
        throw new PatchError("invalid", "the patch has too many nodes");
      if (run % 2 === 1) {
        this.add(length, -1);
        continue;
      }
      const base = this.#baseAt + part.signed();
      if (base < 0 || length > this.#results.length - base) {
        throw new PatchError("invalid", "the patch refers to a missing node");
      }
      this.add(length, base);
      this.#baseAt = base + length;
    }
  }
}

/** Writes a run. Returns the end of the last pairs. */
export function appendRun(out: ByteList, { length, base }: Run, baseAt: number): number {
  appendVarint(out, length * 2 + (base < 0 ? 1 : 0));
  if (base < 0) return baseAt;
  appendSigned(out, base - baseAt);
  return base + length;
}
