import { findMetadata, SEPARATOR_BYTES, TAIL_BYTES } from "./layout.ts";
import { decodeMmdbValue, type MmdbValue } from "./metadata.ts";
import { RECORD_SIZES_BITS } from "./node-records.ts";
import { Tail } from "./tail.ts";
import { ZeroRun } from "./zero-run.ts";

type Metadata = Record<string, MmdbValue>;

/**
 * Checks chunk by chunk that a MaxMind DB can be opened. Only the metadata at the end of the file says where the search
 * tree ends, so the position of the first run of 16 zero bytes is recorded. In a valid file that is the separator after
 * the tree, because a record of the tree is zero only if it points back at the root.
 */
export class MmdbStructureCheck {
  readonly #zeros = new ZeroRun(SEPARATOR_BYTES);
  readonly #tail = new Tail(TAIL_BYTES);
  #sizeBytes = 0;

  update(bytes: Buffer): void {
    this.#zeros.update(bytes);
    this.#sizeBytes += bytes.length;
    this.#tail.update(bytes);
  }

  /** The faults found. The table is null because the rows of an mmdb cannot be counted. */
  end(): { faults: string[]; table: null } {
    return { faults: this.#faults(), table: null };
  }

  #faults(): string[] {
    if (this.#sizeBytes === 0) return ["the file is empty"];
    const tail = this.#tail.view();
    const found = findMetadata(tail);
    if (!found) return ["no MaxMind DB metadata at the end: the file is truncated or not an mmdb"];
    let metadata: MmdbValue;
    try {
      metadata = decodeMmdbValue(found.metadata);
    } catch (error) {
      return [`invalid metadata: ${(error as Error).message}`];
    }
    if (!isMap(metadata)) return ["invalid metadata: it is not a map"];
    const faults = metadataFaults(metadata);
    return faults.length > 0 ? faults : this.#treeFaults(metadata, this.#sizeBytes - tail.length + found.marker);
  }

  #treeFaults(metadata: Metadata, metadataOffset: number): string[] {
    const treeBytes = (Number(metadata.node_count) * Number(metadata.record_size)) / 4;
    if (treeBytes + SEPARATOR_BYTES > metadataOffset) {
      return [`the search tree has ${treeBytes} bytes, but the metadata starts at byte ${metadataOffset}`];
    }
    return this.#zeros.covers(treeBytes)
      ? []
      : [`the search tree does not end at byte ${treeBytes}: bytes are missing, added or overwritten`];
  }
}

/** Checks the fields that every reader needs. */
function metadataFaults(metadata: Metadata): string[] {
  const faults: string[] = [];
  const { node_count: nodeCount, record_size: recordSize, ip_version: ipVersion } = metadata;
  if (metadata.binary_format_major_version !== 2) {
    faults.push(`binary_format_major_version is ${show(metadata.binary_format_major_version)}, expected 2`);
  }
  if (!RECORD_SIZES_BITS.some((bits) => bits === recordSize)) {
    faults.push(`record_size is ${show(recordSize)}, expected one of ${RECORD_SIZES_BITS.join(", ")}`);
  }
  if (typeof nodeCount !== "number" || nodeCount < 1)
    faults.push(`node_count is ${show(nodeCount)}, expected 1 or more`);
  if (ipVersion !== 4 && ipVersion !== 6) faults.push(`ip_version is ${show(ipVersion)}, expected 4 or 6`);
  if (typeof metadata.database_type !== "string") faults.push("database_type is missing");
  if (typeof metadata.build_epoch !== "bigint") faults.push("build_epoch is missing");
  return faults;
}

function isMap(value: MmdbValue): value is Metadata {
  return typeof value === "object" && !Array.isArray(value) && !Buffer.isBuffer(value);
}

function show(value: MmdbValue | undefined): string {
  if (value === undefined) return "missing";
  return typeof value === "object" ? "not a number" : String(value);
}
