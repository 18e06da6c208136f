import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { DATA_TYPES } from "@dbdepot/formats/mmdb/metadata";
import { appendPointer } from "@dbdepot/formats/mmdb/pointers";
import { Uint32List } from "@dbdepot/formats/mmdb/uint32-list";
import { endOfRun, matchEqual } from "../hash-matches.ts";
import { PatchError } from "../patch-error.ts";
import { appendSigned, appendVarint, type PartReader } from "../varint.ts";
import { BARE_POINTER, ValueScanner } from "./scan-value.ts";
import type { ValueTable } from "./value-table.ts";

/**
 * How the values of the base become those of the result. `runs` has twice the length of each run, plus one if the values
 * are new. Otherwise the distance follows from the end of the previous copy to the first value to copy. New values are in
 * `bytes`, with bare pointers, and the numbers of the values that these point to in `pointers`.
 */
export interface ValueEdits<Part> {
  runs: Part;
  bytes: Part;
  pointers: Part;
}

export interface ValueDiff {
  edits: ValueEdits<ByteList>;
  /** For each value of the base, its number in the result, or -1. */
  numbers: Int32Array;
}

export function diffValues(base: ValueTable, result: ValueTable): ValueDiff {
  const matches = matchEqual(base.hashes(), result.hashes());
  const fresh = new SplitValue(result);
  const numbers = confirmMatches(matches, new SplitValue(base), fresh);
  const [runs, bytes, pointers] = [new ByteList(1 << 12), new ByteList(1 << 12), new ByteList(1 << 12)];
  let copyEnd = 0;
  for (let start = 0; start < matches.length; ) {
    const end = endOfRun(matches, start);
    const copied = matches[start] as number;
    appendVarint(runs, (end - start) * 2 + (copied < 0 ? 1 : 0));
    if (copied >= 0) {
      appendSigned(runs, copied - copyEnd);
      copyEnd = copied + end - start;
    } else {
      for (let value = start; value < end; value++) {
        fresh.read(value);
        bytes.pushList(fresh.bytes);
        for (const target of fresh.targets) appendVarint(pointers, target);
      }
    }
    start = end;
  }
  return { edits: { runs, bytes, pointers }, numbers };
}

/** Removes matches whose values only have the same hash, or point to values that were not matched with each other. */
function confirmMatches(matches: Int32Array, old: SplitValue, fresh: SplitValue): Int32Array {
  const numbers = new Int32Array(old.tableLength).fill(-1);
  for (let value = 0; value < matches.length; value++) {
    const match = matches[value] as number;
    if (match < 0) continue;
    old.read(match);
    fresh.read(value);
    const isCopy =
      old.targets.length === fresh.targets.length &&
      old.targets.every((target, index) => numbers[target] === fresh.targets[index]) &&
      old.bytes.view().equals(fresh.bytes.view());
    if (isCopy) numbers[match] = value;
    else matches[value] = -1;
  }
  return numbers;
}

/** One value at a time, with bare pointers, and the numbers of the values that these point to. */
class SplitValue {
  readonly bytes = new ByteList(256);
  readonly targets: number[] = [];
  readonly #table: ValueTable;
  readonly #scanner: ValueScanner;

  constructor(table: ValueTable) {
    this.#table = table;
    this.#scanner = new ValueScanner(table.data, {
      bytes: (from, to) => this.bytes.pushBytes(table.data.subarray(from, to)),
      pointer: (target) => {
        this.bytes.pushByte(BARE_POINTER);
        this.targets.push(table.numberAt(target as number));
      },
    });
  }

  get tableLength(): number {
    return this.#table.length;
  }

  read(value: number): void {
    this.bytes.clear();
    this.targets.length = 0;
    this.#scanner.scan(this.#table.start(value));
  }
}

export interface NewValues {
  data: ByteList;
  /** The offset of each value. */
  offsets: Uint32List;
  /** For each value of the base, its number among the new ones, or -1. */
  numbers: Int32Array;
}

/** Makes a patch invalid that creates more than `maxBytes`. */
export function applyValueEdits(base: ValueTable, edits: ValueEdits<PartReader>, maxBytes: number): NewValues {
  const made = {
    data: new ByteList(1 << 12),
    offsets: new Uint32List(),
    numbers: new Int32Array(base.length).fill(-1),
  };
  const { data, offsets, numbers } = made;
  const pushPointer = (number: number) => {
    if (number < 0 || number >= offsets.length) throw new PatchError("invalid", "the patch points to a missing value");
    appendPointer(data, offsets.at(number));
  };
  const copier = new ValueScanner(base.data, {
    bytes: (from, to) => data.pushBytes(base.data.subarray(from, to)),
    pointer: (target) => pushPointer(numbers[base.numberAt(target as number)] as number),
  });
  const newBytes = edits.bytes.bytes;
  const reader = new ValueScanner(
    newBytes,
    {
      bytes: (from, to) => data.pushBytes(newBytes.subarray(from, to)),
      pointer: () => pushPointer(edits.pointers.varint()),
    },
    { hasBarePointers: true },
  );
  let old = 0;
  while (!edits.runs.isAtEnd) {
    const run = edits.runs.varint();
    const isNew = run % 2 === 1;
    if (!isNew) old += edits.runs.signed();
    for (let left = Math.floor(run / 2); left > 0; left--) {
      const offset = data.length;
      if (isNew) read();
      else copy(old++);
      offsets.push(offset);
      if (data.length > maxBytes) throw new PatchError("invalid", "the patch creates more data than announced");
    }
  }
  return made;

  function read(): void {
    try {
      edits.bytes.at = reader.scan(edits.bytes.at);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new PatchError("invalid", `the patch contains a broken value: ${error.message}`);
    }
  }

  function copy(value: number): void {
    if (numbers[value] !== -1) throw new PatchError("invalid", "the patch copies a value that is missing or used");
    const start = base.start(value);
    if (hasPointers(base.data[start] as number)) copier.scan(start);
    else data.pushBytes(base.data.subarray(start, base.end(value)));
    numbers[value] = offsets.length;
  }
}

/** Whether a value may contain pointers, which most types cannot. Type 0 includes arrays. */
function hasPointers(control: number): boolean {
  const type = control >> 5;
  return type === 0 || type === DATA_TYPES.pointer || type === DATA_TYPES.map;
}
