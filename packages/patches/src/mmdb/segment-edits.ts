import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { compareAt } from "@dbdepot/formats/mmdb/packed-addresses";
import { IPV4_TREE, NO_VALUE, SegmentList, type Segments } from "@dbdepot/formats/mmdb/segments";
import { wordAt } from "@dbdepot/formats/mmdb/uint32-list";
import { PatchError } from "../patch-error.ts";
import { appendSigned, appendVarint, type PartReader } from "../varint.ts";

/**
 * How the segments of the base become those of the result. `runs` has four times the length of each run, plus one of
 * EDITS. `starts` has the first address of each inserted segment, and `values` the value of each that is inserted or changed:
 * its difference to that of the segment before.
 */
export interface SegmentEdits<Part> {
  runs: Part;
  starts: Part;
  values: Part;
}

const EDITS = { keep: 0, remove: 1, insert: 2, change: 3 };

/** Values of segments as they appear in a patch: none, the IPv4 tree, or the number of a value of the result, plus two. */
const FIRST_REFERENCE = 2;

export function referenceTo(value: number, numberAt: (offset: number) => number): number {
  if (value === NO_VALUE) return 0;
  if (value === IPV4_TREE) return 1;
  const number = numberAt(value - 1);
  return number < 0 ? -1 : number + FIRST_REFERENCE;
}

/** The reverse of `referenceTo`. */
function valueAt(reference: number, offsetOf: (number: number) => number | undefined): number {
  if (reference === 0) return NO_VALUE;
  if (reference === 1) return IPV4_TREE;
  const offset = offsetOf(reference - FIRST_REFERENCE);
  if (offset === undefined) throw new PatchError("invalid", "the patch refers to a missing value");
  return offset + 1;
}

/** `oldReference` and `newReference` turn values of the base and of the result into references. */
export function diffSegments(
  base: Segments | undefined,
  result: Segments,
  oldReference: (value: number) => number,
  newReference: (value: number) => number,
): SegmentEdits<ByteList> {
  const width = result.wordsPerAddress;
  const old = base ?? noSegments(width);
  const edits = { runs: new ByteList(1 << 12), starts: new ByteList(1 << 12), values: new ByteList(1 << 12) };
  const runs = new RunWriter(edits.runs);
  let reference = 0;
  let i = 0;
  let j = 0;
  const setReference = (next: number) => {
    appendSigned(edits.values, next - reference);
    reference = next;
  };
  while (i < old.values.length || j < result.values.length) {
    const order = compareNext(old, i, result, j);
    if (order < 0) {
      runs.add(EDITS.remove);
      i++;
      continue;
    }
    const next = newReference(wordAt(result.values, j));
    if (order > 0) {
      runs.add(EDITS.insert);
      appendStart(edits.starts, result, j);
      setReference(next);
    } else if (oldReference(wordAt(old.values, i)) === next) {
      runs.add(EDITS.keep);
      reference = next;
    } else {
      runs.add(EDITS.change);
      setReference(next);
    }
    if (order === 0) i++;
    j++;
  }
  runs.end();
  return edits;
}

export function applySegmentEdits(
  base: Segments | undefined,
  wordsPerAddress: number,
  edits: SegmentEdits<PartReader>,
  oldReference: (value: number) => number,
  offsetOf: (number: number) => number | undefined,
): Segments {
  const old = base ?? noSegments(wordsPerAddress);
  const list = new SegmentList(wordsPerAddress);
  const start = new Uint32Array(wordsPerAddress);
  const previous = new Uint32Array(wordsPerAddress);
  let reference = 0;
  let i = 0;
  while (!edits.runs.isAtEnd) {
    const run = edits.runs.varint();
    const kind = run % 4;
    const length = (run - kind) / 4;
    if (kind !== EDITS.insert && length > old.values.length - i) {
      throw new PatchError("invalid", "the patch refers to a missing address range");
    }
    if (kind === EDITS.remove) {
      i += length;
      continue;
    }
    for (let left = length; left > 0; left--) {
      if (kind === EDITS.insert) readStart(edits.starts, start);
      else start.set(old.starts.subarray(i * wordsPerAddress, (i + 1) * wordsPerAddress));
      reference = kind === EDITS.keep ? oldReference(wordAt(old.values, i)) : reference + edits.values.signed();
      if (kind !== EDITS.insert) i++;
      // The search tree can only be laid out for segments in order.
      const order = compareAt(start, 0, previous, 0, wordsPerAddress);
      if (list.length === 0 ? order !== 0 : order <= 0) {
        throw new PatchError("invalid", "the patch does not keep address ranges in order");
      }
      previous.set(start);
      list.add(start, valueAt(reference, offsetOf));
    }
  }
  if (list.length === 0) throw new PatchError("invalid", "the patch leaves no address range");
  return list.toSegments();
}

function compareNext(old: Segments, i: number, result: Segments, j: number): number {
  if (i >= old.values.length) return 1;
  if (j >= result.values.length) return -1;
  return compareAt(old.starts, i, result.starts, j, result.wordsPerAddress);
}

function noSegments(wordsPerAddress: number): Segments {
  return { wordsPerAddress, starts: new Uint32Array(0), values: new Uint32Array(0) };
}

/** Collects edits of the same kind. */
class RunWriter {
  readonly #runs: ByteList;
  #kind = 0;
  #length = 0;

  constructor(runs: ByteList) {
    this.#runs = runs;
  }

  add(kind: number): void {
    if (kind !== this.#kind) this.end();
    this.#kind = kind;
    this.#length++;
  }

  end(): void {
    if (this.#length > 0) appendVarint(this.#runs, this.#length * 4 + this.#kind);
    this.#length = 0;
  }
}

/** Writes an address as the difference to the start of the segment before it. */
function appendStart(out: ByteList, { starts, wordsPerAddress: width }: Segments, index: number): void {
  for (let k = 0; k < width; k++) {
    const word = wordAt(starts, index * width + k);
    const before = index === 0 ? 0 : wordAt(starts, (index - 1) * width + k);
    appendSigned(out, word - before);
  }
}

/** Changes the address of the segment before to that of the next one. */
function readStart(starts: PartReader, address: Uint32Array): void {
  for (let k = 0; k < address.length; k++) address[k] = wordAt(address, k) + starts.signed();
}
