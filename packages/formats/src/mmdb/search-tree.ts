import { SEPARATOR_BYTES } from "./layout.ts";
import { PUT_NODE, type RecordSizeBits } from "./node-records.ts";
import { NodeTable } from "./node-table.ts";
import { bitAt, significantBits } from "./packed-addresses.ts";
import { RepeatedValues } from "./repeated-values.ts";
import { IPV4_TREE, NO_VALUE, type Segments } from "./segments.ts";
import { wordAt } from "./uint32-list.ts";

const CHUNK_BYTES = 1 << 18;

export interface TreeContent {
  ipv4: Segments;
  /** Undefined if the file has no IPv6 tree. */
  ipv6: Segments | undefined;
  dataBytes: number;
}

export interface SearchTree {
  nodeCount: number;
  /** The bytes of all nodes. */
  chunks(size: RecordSizeBits): Generator<Uint8Array>;
}

/**
 * Lays out the search tree, in which equal subtrees are stored once. A block of addresses is a node exactly if the value
 * changes inside it. Nodes are created from the last address to the first, children before their parent, and numbered
 * in reverse: the root is node 0, and where nothing is shared, nodes are in preorder.
 *
 * Throws a RangeError if there are more nodes than records of 32 bits can address.
 */
export function layOutTree({ ipv4, ipv6, dataBytes }: TreeContent): SearchTree {
  // While the tree is built, records up to `dataBytes` are values and those above are nodes, in the order of creation.
  const firstNode = dataBytes + 1;
  const nodes = new NodeTable(firstNode, 2 ** 32 - 1 - SEPARATOR_BYTES - dataBytes);
  const repeated = new RepeatedValues(dataBytes, ipv6 ? [ipv6, ipv4] : [ipv4]);
  const ipv4Record = new TreeBuilder(ipv4, nodes, repeated, NO_VALUE).build();
  const root = ipv6 ? new TreeBuilder(ipv6, nodes, repeated, ipv4Record).build() : ipv4Record;
  // Readers treat a tree without nodes as a broken file.
  if (root < firstNode) nodes.add(root, root);

  const nodeCount = nodes.length;
  const recordOf = (record: number): number => {
    if (record >= firstNode) return nodeCount - 1 - (record - firstNode);
    return record === NO_VALUE ? nodeCount : nodeCount + SEPARATOR_BYTES + record - 1;
  };
  return {
    nodeCount,
    *chunks(size) {
      const nodeBytes = size / 4;
      const putNode = PUT_NODE[size];
      const nodesPerChunk = Math.floor(CHUNK_BYTES / nodeBytes);
      for (let end = nodeCount; end > 0; end -= nodesPerChunk) {
        const count = Math.min(end, nodesPerChunk);
        // Each chunk gets new memory, because the previous one may not be written yet.
        const chunk = new Uint8Array(count * nodeBytes);
        for (let i = 0; i < count; i++) {
          const node = end - 1 - i;
          putNode(chunk, i * nodeBytes, recordOf(nodes.left(node)), recordOf(nodes.right(node)));
        }
        yield chunk;
      }
    },
  };
}

/** Creates the nodes of one address family. */
class TreeBuilder {
  readonly #segments: Segments;
  readonly #nodes: NodeTable;
  readonly #repeated: RepeatedValues;
  readonly #ipv4Record: number;
  /**
   * Whether the record that was built last leads to a value of a single segment. Then no other subtree equals it, and the
   * node need not be remembered. In a file with a different record per network, that is all of them.
   */
  #isUnique = false;

  constructor(segments: Segments, nodes: NodeTable, repeated: RepeatedValues, ipv4Record: number) {
    this.#segments = segments;
    this.#nodes = nodes;
    this.#repeated = repeated;
    this.#ipv4Record = ipv4Record;
  }

  /** Returns the root. It is never shared, because readers recognize the IPv4 tree by the number of its root. */
  build(): number {
    const { values } = this.#segments;
    return values.length > 1 ? this.#block(0, 1, values.length) : this.#leaf(0);
  }

  /** Returns the record of a block of addresses, inside which the segments `start` to `end` begin. */
  #block(depth: number, start: number, end: number): number {
    const { starts, wordsPerAddress } = this.#segments;
    const half = firstInUpperHalf(this.#segments, depth, start, end);
    // A change exactly in the middle is inside neither half.
    const isInMiddle = half < end && significantBits(starts, half, wordsPerAddress) === depth + 1;
    const upperStart = isInMiddle ? half + 1 : half;
    const right = upperStart < end ? this.#block(depth + 1, upperStart, end) : this.#leaf(end - 1);
    const isRightUnique = this.#isUnique;
    const left = start < half ? this.#block(depth + 1, start, half) : this.#leaf(start - 1);
    this.#isUnique ||= isRightUnique;
    return this.#isUnique || depth === 0 ? this.#nodes.add(left, right) : this.#nodes.share(left, right);
  }

  #leaf(segment: number): number {
    const value = wordAt(this.#segments.values, segment);
    this.#isUnique = !this.#repeated.has(value);
    return value === IPV4_TREE ? this.#ipv4Record : value;
  }
}

/** Among the changes `start` to `end` inside a block, finds the first in its upper half. */
function firstInUpperHalf({ starts, wordsPerAddress: width }: Segments, depth: number, start: number, end: number) {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bitAt(starts, middle, width, depth) === 1) high = middle;
    else low = middle + 1;
  }
  return low;
}
