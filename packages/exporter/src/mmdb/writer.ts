import { SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import { ExportFault } from "../export-fault.ts";
import type { DataSection } from "./data-section.ts";
import { encodeMetadata, type MmdbAbout } from "./metadata.ts";
import { IPV4_TREE_ROW, type Networks } from "./networks.ts";
import { PUT_NODE, RECORD_SIZES_BITS, type RecordSizeBits } from "./node-writer.ts";
import { NO_VALUE, resolveOverlaps } from "./segments.ts";
import { shapeTree, type TreeShape, TreeWalk } from "./tree.ts";

const SEPARATOR = Buffer.alloc(SEPARATOR_BYTES);
const CHUNK_BYTES = 1 << 18;
/** The value of ranges in the IPv6 tree that lead to the IPv4 tree. */
const IPV4_TREE = 0xffffffff;

export interface MmdbContent {
  networks: Networks;
  data: DataSection;
  /** The offset of a row's record in the data section. */
  offsetOf: (row: number) => number;
  about: MmdbAbout;
  /** Default: the smallest that fits. */
  recordSizeBits?: RecordSizeBits;
}

export interface MmdbLayout {
  nodeCount: number;
  recordSizeBits: RecordSizeBits;
  ipVersion: 4 | 6;
  /** The number of rows with the same network as another row. The tree contains the last of them. */
  repeatedNetworks: number;
  /** The file, in chunks. */
  bytes: () => Generator<Uint8Array>;
}

export function layOutMmdb({ networks, data, offsetOf, about, recordSizeBits }: MmdbContent): MmdbLayout {
  // A value is an offset plus one, because zero means "no value".
  const valueOfRow = (row: number) => (row === IPV4_TREE_ROW ? IPV4_TREE : offsetOf(row) + 1);
  const { ipVersion } = networks;
  const ipv4 = resolveOverlaps(networks.ipv4, valueOfRow);
  const ipv6 = ipVersion === 6 ? resolveOverlaps(networks.ipv6WithIpv4(), valueOfRow, IPV4_TREE_ROW) : undefined;

  const trees = [ipv6, ipv4].filter((tree) => tree !== undefined).map((tree) => shapeTree(tree.segments));
  // Readers treat a tree without nodes as a broken file.
  const nodeCount = Math.max(
    1,
    trees.reduce((sum, tree) => sum + tree.nodeCount, 0),
  );
  const size = chooseRecordSize(nodeCount + SEPARATOR.length + data.sizeBytes, recordSizeBits);
  const facts = { nodeCount, recordSizeBits: size, ipVersion };
  return {
    ...facts,
    repeatedNetworks: ipv4.repeated + (ipv6?.repeated ?? 0),
    *bytes() {
      yield* nodeChunks(trees, nodeCount, size);
      yield SEPARATOR;
      yield* slices(data.view());
      yield encodeMetadata(about, facts);
    },
  };
}

function chooseRecordSize(largestRecord: number, wanted: RecordSizeBits | undefined): RecordSizeBits {
  const sizes = wanted === undefined ? RECORD_SIZES_BITS : [wanted];
  const fitting = sizes.find((bits) => largestRecord < 2 ** bits);
  if (fitting === undefined) throw new ExportFault([`the mmdb is too large for records of ${sizes.at(-1)} bits`]);
  return fitting;
}

/** The tree of the file's IP version comes first, with its root as node 0. In an IPv6 file the IPv4 tree follows. */
function* nodeChunks(trees: TreeShape[], nodeCount: number, size: RecordSizeBits): Generator<Uint8Array> {
  const [root, ipv4 = root] = trees as [TreeShape, TreeShape?];
  const dataRecord = (value: number) => (value === NO_VALUE ? nodeCount : nodeCount + SEPARATOR.length + value - 1);
  const rootOf = (tree: TreeShape, firstNumber: number) =>
    // A tree without nodes has one value for all addresses.
    tree.nodeCount > 0 ? firstNumber : dataRecord(tree.segments.values[0] as number);
  const ipv4Root = rootOf(ipv4, root.nodeCount);
  const leaf = (value: number) => (value === IPV4_TREE ? ipv4Root : dataRecord(value));

  if (trees.every((tree) => tree.nodeCount === 0)) {
    const everywhere = leaf(root.segments.values[0] as number);
    const node = new Uint8Array(size / 4);
    PUT_NODE[size](node, 0, everywhere, everywhere);
    yield node;
  }
  let firstNumber = 0;
  for (const tree of trees) {
    yield* walkChunks(new TreeWalk(tree, firstNumber, leaf), size);
    firstNumber += tree.nodeCount;
  }
}

function* walkChunks(walk: TreeWalk, size: RecordSizeBits): Generator<Uint8Array> {
  const nodeBytes = size / 4;
  const nodesPerChunk = Math.floor(CHUNK_BYTES / nodeBytes);
  const putNode = PUT_NODE[size];
  for (;;) {
    // Each chunk gets new memory, because the previous one may not be written yet.
    const chunk = new Uint8Array(nodesPerChunk * nodeBytes);
    let at = 0;
    const visited = walk.visit(nodesPerChunk, (left, right) => {
      putNode(chunk, at, left, right);
      at += nodeBytes;
    });
    if (visited === 0) return;
    yield chunk.subarray(0, at);
  }
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}
