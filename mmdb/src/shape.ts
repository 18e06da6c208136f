import { decodeMmdbValue, type MmdbValue } from "./metadata.ts";
import { Tail } from "./tail.ts";
import { ZeroRun } from "./zero-run.ts";

const MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
/** Readers look for the marker in the last 128 KiB and no further up. */
const TAIL_BYTES = 128 * 1024;
/** Between the search tree and the data. */
const SEPARATOR_BYTES = 16;
const RECORD_SIZES_BITS = [24, 28, 32];

type Metadata = Record<string, MmdbValue>;

/**
 * Checks that a MaxMind DB can be opened, while it goes by: where its tree ends is told
 * only at its own end, so the first long run of zeros is remembered. In a sound file that
 * is the separator behind the tree: a record of the tree is zero only if it points back at the root.
 */
export class MmdbShape {
  readonly #zeros = new ZeroRun(SEPARATOR_BYTES);
  readonly #tail = new Tail(TAIL_BYTES);
  #sizeBytes = 0;

  take(bytes: Buffer): void {
    this.#zeros.take(bytes);
    this.#sizeBytes += bytes.length;
    this.#tail.take(bytes);
  }

  /** What is wrong with it. It is a tree, so there is no table whose rows could be counted. */
  end(): { faults: string[]; table: null } {
    return { faults: this.#faults(), table: null };
  }

  #faults(): string[] {
    if (this.#sizeBytes === 0) return ["the file is empty"];
    const tail = this.#tail.view();
    const marker = tail.lastIndexOf(MARKER);
    if (marker === -1) return ["no MaxMind DB metadata stands at its end: it is cut off, or no mmdb at all"];
    let metadata: MmdbValue;
    try {
      metadata = decodeMmdbValue(tail.subarray(marker + MARKER.length));
    } catch (error) {
      return [`its metadata cannot be read: ${(error as Error).message}`];
    }
    if (!isMap(metadata)) return ["its metadata cannot be read: it is no map"];
    const faults = metadataFaults(metadata);
    return faults.length > 0 ? faults : this.#treeFaults(metadata, this.#sizeBytes - tail.length + marker);
  }

  #treeFaults(metadata: Metadata, metadataOffset: number): string[] {
    const treeBytes = (Number(metadata.node_count) * Number(metadata.record_size)) / 4;
    if (treeBytes + SEPARATOR_BYTES > metadataOffset) {
      return [
        `its search tree should have ${treeBytes} bytes, and only ${metadataOffset} stand before the metadata: bytes are missing`,
      ];
    }
    return this.#zeros.covers(treeBytes)
      ? []
      : [`its search tree should end at byte ${treeBytes}, and does not: bytes are missing, added or overwritten`];
  }
}

/** What every reader needs, by the format's specification. */
function metadataFaults(metadata: Metadata): string[] {
  const faults: string[] = [];
  const { node_count: nodeCount, record_size: recordSize, ip_version: ipVersion } = metadata;
  if (metadata.binary_format_major_version !== 2) {
    faults.push(`its binary_format_major_version is ${shown(metadata.binary_format_major_version)}, not 2`);
  }
  if (!RECORD_SIZES_BITS.includes(recordSize as number)) {
    faults.push(`its record_size is ${shown(recordSize)}, none of ${RECORD_SIZES_BITS.join(", ")}`);
  }
  if (typeof nodeCount !== "number" || nodeCount < 1)
    faults.push(`its node_count is ${shown(nodeCount)}, not 1 or more`);
  if (ipVersion !== 4 && ipVersion !== 6) faults.push(`its ip_version is ${shown(ipVersion)}, neither 4 nor 6`);
  if (typeof metadata.database_type !== "string") faults.push("its metadata has no database_type");
  if (typeof metadata.build_epoch !== "bigint") faults.push("its metadata has no build_epoch");
  return faults;
}

function isMap(value: MmdbValue): value is Metadata {
  return typeof value === "object" && !Array.isArray(value) && !Buffer.isBuffer(value);
}

function shown(value: MmdbValue | undefined): string {
  if (value === undefined) return "missing";
  return typeof value === "object" ? "no number" : String(value);
}
