import { SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import { PUT_NODE, type RecordSizeBits } from "@dbdepot/formats/mmdb/node-records";
import { PatchError } from "../patch-error.ts";
import { type PartReader, unzigzag } from "../varint.ts";
import type { NodePairs } from "./node-pairs.ts";
import { type Projection, UNKNOWN } from "./projection.ts";
import { FIRST_VALUE, NOTHING, offsetOf, type TreeReader, UNPREDICTED, valueReference } from "./tree-reader.ts";

const CHUNK_NODES = 1 << 15;
/** How a record is written that cannot be predicted: four times an argument plus one of these. */
export const RECORDS = { nothing: 0, node: 1, knownValue: 2, newValue: 3 };
export const TREE_PARTS = 2;

/** Predicts what a record of the result refers to, if the node has a pair in the base and nothing important changed. */
export function predictReference(reference: number, pairs: NodePairs, projection: Projection): number {
  if (reference === NOTHING) return NOTHING;
  if (reference >= 0) return pairs.resultOf(reference);
  const place = projection.of(offsetOf(reference));
  return place === UNKNOWN ? UNPREDICTED : valueReference(place);
}

/** A new node usually leads to the next one, or to nothing. */
export function predictNew(node: number, side: number): number {
  return side === 0 ? node + 1 : NOTHING;
}

interface ResultLayout {
  nodeCount: number;
  recordSizeBits: RecordSizeBits;
  dataBytes: number;
}

/** Creates the search tree of the result. */
export class TreeApplier {
  readonly #base: TreeReader;
  readonly #pairs: NodePairs;
  readonly #projection: Projection;
  readonly #layout: ResultLayout;
  #node = 0;
  #lastOffset = 0;
  #misses!: PartReader;
  #codes!: PartReader;
  #hits = 0;
  /** New memory for each chunk would stay in use until the garbage is collected. */
  readonly #chunk: Uint8Array;

  constructor(base: TreeReader, pairs: NodePairs, projection: Projection, layout: ResultLayout) {
    this.#base = base;
    this.#pairs = pairs;
    this.#projection = projection;
    this.#layout = layout;
    this.#chunk = new Uint8Array((CHUNK_NODES * layout.recordSizeBits) / 4);
  }

  get nodes(): number {
    return this.#node;
  }

  /** Yields the bytes of nodes. The next chunk overwrites the last one. */
  *section(items: number, [misses, codes]: readonly PartReader[]): Generator<Uint8Array> {
    const { nodeCount, recordSizeBits } = this.#layout;
    this.#misses = misses as PartReader;
    this.#codes = codes as PartReader;
    this.#countHits();
    if (items > nodeCount - this.#node) throw new PatchError("invalid", "the patch has too many nodes");
    const putNode = PUT_NODE[recordSizeBits];
    const nodeBytes = recordSizeBits / 4;
    for (let left = items; left > 0; ) {
      const count = Math.min(left, CHUNK_NODES);
      for (let i = 0; i < count; i++) {
        const node = this.#node;
        const base = this.#pairs.next();
        const first = this.#record(node, 0, base);
        putNode(this.#chunk, i * nodeBytes, first, this.#record(node, 1, base));
        this.#node++;
      }
      left -= count;
      yield this.#chunk.subarray(0, count * nodeBytes);
    }
  }

  #record(node: number, side: number, base: number): number {
    const reference = this.#hits > 0 ? this.#predicted(node, side, base) : this.#explicit(node);
    const { nodeCount, dataBytes } = this.#layout;
    if (reference <= FIRST_VALUE && offsetOf(reference) < dataBytes) {
      return nodeCount + SEPARATOR_BYTES + offsetOf(reference);
    }
    if (reference === NOTHING) return nodeCount;
    // This is false for what was not predicted, too.
    if (reference >= 0 && reference < nodeCount) return reference;
    throw new PatchError("invalid", "the patch refers to a missing node or value");
  }

  #predicted(node: number, side: number, base: number): number {
    this.#hits--;
    if (base < 0) return predictNew(node, side);
    return predictReference(this.#base.reference(base, side), this.#pairs, this.#projection);
  }

  #explicit(node: number): number {
    const code = this.#codes.varint();
    const kind = code % 4;
    const argument = (code - kind) / 4;
    const signed = unzigzag(argument);
    this.#countHits();
    if (kind === RECORDS.nothing) return NOTHING;
    if (kind === RECORDS.node) return node + signed < 0 ? UNPREDICTED : node + signed;
    if (kind === RECORDS.newValue) {
      this.#lastOffset += signed;
      return this.#lastOffset < 0 ? UNPREDICTED : valueReference(this.#lastOffset);
    }
    const place = this.#projection.at(argument);
    return place === UNKNOWN ? UNPREDICTED : valueReference(place);
  }

  #countHits(): void {
    this.#hits = this.#misses.isAtEnd ? Number.POSITIVE_INFINITY : this.#misses.varint();
  }
}
