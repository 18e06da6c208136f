import { IPV4_WORDS, IPV6_WORDS } from "@dbdepot/formats/mmdb/address";
import { SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import { READ_RECORD } from "@dbdepot/formats/mmdb/node-records";
import { IPV4_TREE, NO_VALUE, SegmentList, type Segments } from "@dbdepot/formats/mmdb/segments";
import { wordAt } from "@dbdepot/formats/mmdb/uint32-list";
import { PatchError } from "../patch-error.ts";
import type { MmdbFile } from "./mmdb-file.ts";

/** Where the IPv4 tree begins in an IPv6 tree: below this many zero bits. */
const IPV4_DEPTH = 96;
const MAX_SEGMENTS = 2 ** 25;
/** A tree in which everything is shared has exponentially many paths. Real ones are at most some ten times larger unshared. */
const MAX_STEPS_PER_NODE = 64;
const MIN_MAX_STEPS = 2 ** 26;

export interface Trees {
  ipv4: Segments;
  /** Undefined if the file has no IPv6 tree. */
  ipv6: Segments | undefined;
}

/** Reads the address ranges of a file's search tree. */
export function readSegments(file: MmdbFile): Trees {
  if (file.ipVersion === 4) return { ipv4: new TreeReader(file, IPV4_WORDS, undefined).read(0), ipv6: undefined };
  let ipv4Root = 0;
  for (let depth = 0; depth < IPV4_DEPTH && ipv4Root < file.nodeCount; depth++) ipv4Root = record(file, ipv4Root, 0);
  return {
    ipv4: new TreeReader(file, IPV4_WORDS, undefined).read(ipv4Root),
    ipv6: new TreeReader(file, IPV6_WORDS, ipv4Root).read(0),
  };
}

class TreeReader {
  readonly #file: MmdbFile;
  readonly #ipv4Root: number | undefined;
  readonly #segments: SegmentList;
  /** The address of the current block. */
  readonly #address: Uint32Array;
  #stepsLeft: number;

  /** `ipv4Root` is the record that leads from the IPv6 tree to the IPv4 tree. */
  constructor(file: MmdbFile, wordsPerAddress: number, ipv4Root: number | undefined) {
    this.#file = file;
    this.#ipv4Root = ipv4Root;
    this.#segments = new SegmentList(wordsPerAddress);
    this.#address = new Uint32Array(wordsPerAddress);
    this.#stepsLeft = Math.max(MIN_MAX_STEPS, file.nodeCount * MAX_STEPS_PER_NODE);
  }

  read(root: number): Segments {
    this.#read(root, 0);
    return this.#segments.toSegments();
  }

  #read(entry: number, depth: number): void {
    if (entry === this.#ipv4Root && this.#isIpv4Tree(depth)) {
      this.#segments.add(this.#address, IPV4_TREE);
      return;
    }
    if (entry >= this.#file.nodeCount) {
      this.#segments.add(this.#address, this.#value(entry));
      if (this.#segments.length > MAX_SEGMENTS) throw tooComplex();
      return;
    }
    if (depth >= this.#address.length * 32) throw new PatchError("unsupported", "the mmdb's search tree is too deep");
    if (--this.#stepsLeft < 0) throw tooComplex();
    this.#read(record(this.#file, entry, 0), depth + 1);
    const word = depth >>> 5;
    const bit = 1 << (31 - (depth & 31));
    this.#address[word] = wordAt(this.#address, word) | bit;
    this.#read(record(this.#file, entry, 1), depth + 1);
    this.#address[word] = wordAt(this.#address, word) & ~bit;
  }

  #value(leaf: number): number {
    const value = leaf === this.#file.nodeCount ? NO_VALUE : leaf - this.#file.nodeCount - SEPARATOR_BYTES + 1;
    if (value < 0 || value > this.#file.data.length || (value === 0 && leaf !== this.#file.nodeCount)) {
      throw new PatchError("unsupported", "the mmdb's search tree points outside of the data");
    }
    return value;
  }

  /**
   * The root of the IPv4 tree is a node of its own. But if that tree has no nodes, it is a record that others may equal, and
   * only the position tells them apart: ::/96 and the blocks that mean IPv4 addresses.
   */
  #isIpv4Tree(depth: number): boolean {
    const root = this.#ipv4Root as number;
    if (root < this.#file.nodeCount) return true;
    const [first, second, third] = this.#address;
    const hasAliases = root > this.#file.nodeCount;
    if (depth === IPV4_DEPTH && first === 0 && second === 0) return third === 0 || (hasAliases && third === 0xffff);
    return hasAliases && ((depth === 32 && first === 0x20010000) || (depth === 16 && first === 0x20020000));
  }
}

function record({ bytes, recordSizeBits }: MmdbFile, node: number, side: number): number {
  return READ_RECORD[recordSizeBits](bytes, (node * recordSizeBits) / 4, side);
}

function tooComplex(): PatchError {
  return new PatchError("unsupported", "the mmdb's search tree has too many paths");
}
