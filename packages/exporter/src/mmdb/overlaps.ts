import { compareAt, compareSpans, copyAt, increment } from "@dbdepot/formats/mmdb/packed-addresses";
import { NO_VALUE, SegmentList, type Segments } from "@dbdepot/formats/mmdb/segments";
import { wordAt } from "@dbdepot/formats/mmdb/uint32-list";
import { MinHeap } from "./min-heap.ts";
import type { RangeList } from "./range-list.ts";

export interface Resolved {
  segments: Segments;
  /** The number of rows with the same network as another row. */
  repeated: number;
}

/**
 * Decides which range an address belongs to: the smallest one that contains it and, if several are equally small, the
 * one of the later row. Ranges of `priorityRow` take precedence over all others. Sweeps once from the lowest address to
 * the highest; the ranges that contain the current address are in a heap, because there may be a million of them.
 */
export function resolveOverlaps(
  ranges: RangeList,
  valueOfRow: (row: number) => number,
  priorityRow?: number,
): Resolved {
  const { firsts, lasts, rows, wordsPerAddress: width } = ranges;
  const order = byFirstAddress(ranges);
  const open = new MinHeap((a, b) => {
    const rowA = wordAt(rows, a);
    const rowB = wordAt(rows, b);
    if ((rowA === priorityRow) !== (rowB === priorityRow)) return rowA === priorityRow ? -1 : 1;
    return compareSpans(firsts, lasts, a, b, width) || rowB - rowA;
  });
  const segments = new SegmentList(width);
  const position = new Uint32Array(width);
  let next = 0;
  for (;;) {
    while (next < order.length && compareAt(firsts, wordAt(order, next), position, 0, width) <= 0) {
      open.push(wordAt(order, next++));
    }
    while (open.min !== undefined && compareAt(lasts, open.min, position, 0, width) < 0) open.removeMin();

    const best = open.min;
    segments.add(position, best === undefined ? NO_VALUE : valueOfRow(wordAt(rows, best)));
    const upcoming = order[next];
    if (upcoming !== undefined && (best === undefined || compareAt(firsts, upcoming, lasts, best, width) <= 0)) {
      copyAt(position, firsts, upcoming);
    } else if (best !== undefined) {
      copyAt(position, lasts, best);
      if (!increment(position)) break;
    } else {
      break;
    }
  }
  return { segments: segments.toSegments(), repeated: countRepeated(ranges, order) };
}

function byFirstAddress({ firsts, lasts, length, wordsPerAddress: width }: RangeList): Uint32Array {
  const order = Uint32Array.from({ length }, (_, i) => i);
  return order.sort((a, b) => compareAt(firsts, a, firsts, b, width) || compareAt(lasts, a, lasts, b, width));
}

function countRepeated({ firsts, lasts, wordsPerAddress: width }: RangeList, order: Uint32Array): number {
  let repeated = 0;
  for (let i = 1; i < order.length; i++) {
    const a = wordAt(order, i - 1);
    const b = wordAt(order, i);
    if (compareAt(firsts, a, firsts, b, width) === 0 && compareAt(lasts, a, lasts, b, width) === 0) repeated++;
  }
  return repeated;
}
