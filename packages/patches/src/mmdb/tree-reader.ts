import { SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import { READ_RECORD, type RecordSizeBits } from "@dbdepot/formats/mmdb/node-records";
import { PatchError } from "../patch-error.ts";

/**
 * The reference of a record of the tree, as one number: nodes count from 0 up, and values from `FIRST_VALUE` down by
 * their offset in the data section.
 */
export const NOTHING = -1;
export const FIRST_VALUE = -2;
/** Equals no reference, nor itself. */
export const UNPREDICTED = Number.NaN;

export function valueReference(offset: number): number {
  return FIRST_VALUE - offset;
}

/** The offset in the data section that a reference to a value means. */
export function offsetOf(reference: number): number {
  return FIRST_VALUE - reference;
}

const WINDOW_NODES = 1 << 12;
/** The windows take at most 32 MB: where equal subtrees are stored once, adjacent addresses lead to distant nodes. */
const MAX_WINDOWS = 1 << 10;
/** Only a hostile patch loads windows more often than this again, which takes seconds. */
const MAX_EXTRA_LOADS = 1 << 18;

interface Layout {
  nodeCount: number;
  recordSizeBits: RecordSizeBits;
  dataBytes: number;
}

/** Reads the records of a search tree in windows, so that a large tree need not be in memory. */
export class TreeReader {
  readonly nodeCount: number;
  readonly #read: (at: number, bytes: Uint8Array) => void;
  readonly #layout: Layout;
  readonly #nodeBytes: number;
  #window: Uint8Array = new Uint8Array(0);
  #windowStart = 0;
  #windowEnd = 0;
  /** Windows by their first node. The ones used last are at the end. */
  readonly #windows = new Map<number, Uint8Array>();
  #loadsLeft: number;

  constructor(read: (at: number, bytes: Uint8Array) => void, layout: Layout) {
    this.nodeCount = layout.nodeCount;
    this.#read = read;
    this.#layout = layout;
    this.#nodeBytes = layout.recordSizeBits / 4;
    this.#loadsLeft = 4 * Math.ceil(layout.nodeCount / WINDOW_NODES) + MAX_EXTRA_LOADS;
  }

  /** Keeps the whole tree in memory, to read it in any order. */
  load(): void {
    this.#window = this.#load(0, this.nodeCount, new Uint8Array(this.nodeCount * this.#nodeBytes));
    this.#windowStart = 0;
    this.#windowEnd = this.nodeCount;
  }

  reference(node: number, side: number): number {
    if (node < this.#windowStart || node >= this.#windowEnd) this.#openWindow(node - (node % WINDOW_NODES));
    const { nodeCount, recordSizeBits, dataBytes } = this.#layout;
    const record = READ_RECORD[recordSizeBits](this.#window, (node - this.#windowStart) * this.#nodeBytes, side);
    if (record < nodeCount) return record;
    if (record === nodeCount) return NOTHING;
    const offset = record - nodeCount - SEPARATOR_BYTES;
    if (offset < 0 || offset >= dataBytes) {
      throw new PatchError("unsupported", "the mmdb's search tree points outside of the data");
    }
    return valueReference(offset);
  }

  #openWindow(start: number): void {
    const end = Math.min(this.nodeCount, start + WINDOW_NODES);
    let window = this.#windows.get(start);
    if (window) this.#windows.delete(start);
    else window = this.#load(start, end, this.#takeOldest() ?? new Uint8Array(WINDOW_NODES * this.#nodeBytes));
    this.#windows.set(start, window);
    this.#window = window;
    this.#windowStart = start;
    this.#windowEnd = end;
  }

  /** The memory of the window that was not used for the longest time, if there are enough of them. */
  #takeOldest(): Uint8Array | undefined {
    if (this.#windows.size < MAX_WINDOWS) return undefined;
    const [start, window] = this.#windows.entries().next().value as [number, Uint8Array];
    this.#windows.delete(start);
    return window;
  }

  #load(start: number, end: number, window: Uint8Array): Uint8Array {
    if (--this.#loadsLeft < 0) throw new PatchError("unsupported", "the patch reads the search tree in no order");
    this.#read(start * this.#nodeBytes, window.subarray(0, (end - start) * this.#nodeBytes));
    return window;
  }
}
