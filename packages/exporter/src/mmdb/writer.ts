import { SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import { RECORD_SIZES_BITS, type RecordSizeBits } from "@dbdepot/formats/mmdb/node-records";
import { layOutTree } from "@dbdepot/formats/mmdb/search-tree";
import { IPV4_TREE } from "@dbdepot/formats/mmdb/segments";
import { ExportFault } from "../export-fault.ts";
import type { DataSection } from "./data-section.ts";
import { encodeMetadata, type MmdbAbout } from "./metadata.ts";
import { IPV4_TREE_ROW, type Networks } from "./networks.ts";
import { resolveOverlaps } from "./overlaps.ts";

const CHUNK_BYTES = 1 << 18;

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

  const dataBytes = data.sizeBytes;
  const tree = layOutTree({ ipv4: ipv4.segments, ipv6: ipv6?.segments, dataBytes });
  const { nodeCount } = tree;
  const size = chooseRecordSize(nodeCount + SEPARATOR_BYTES + dataBytes, recordSizeBits);
  const facts = { nodeCount, recordSizeBits: size, ipVersion };
  return {
    ...facts,
    repeatedNetworks: ipv4.repeated + (ipv6?.repeated ?? 0),
    *bytes() {
      yield* tree.chunks(size);
      yield Buffer.alloc(SEPARATOR_BYTES);
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

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}
