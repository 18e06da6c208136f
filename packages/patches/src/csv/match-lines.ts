import { wordAt } from "@dbdepot/formats/mmdb/uint32-list";
import { HashList, matchEqual } from "../hash-matches.ts";
import type { LineReader } from "./line-reader.ts";

export async function hashLines(lines: LineReader): Promise<HashList> {
  const hashes = new HashList();
  do {
    for (let line = lines.next(); line !== undefined; line = lines.next()) {
      hashes.addBytes(line, 0, line.length);
      hashes.endItem();
    }
  } while (await lines.fill());
  return hashes;
}

/**
 * For each line of the result, the line of the base that it copies, or -1. The lines copied are in order, because a patch
 * reads the base once from start to end. They are as many as possible, if no line repeats.
 */
export function matchLines(base: HashList, result: HashList): Int32Array {
  return longestIncrease(matchEqual(base, result));
}

/** Replaces all but the longest increasing subsequence by -1. */
function longestIncrease(values: Int32Array): Int32Array {
  /** For each length, the position at which the increasing subsequence with the smallest last value ends. */
  const ends = new Uint32Array(values.length);
  const previous = new Int32Array(values.length);
  const at = (index: number) => values[index] as number;
  let longest = 0;
  for (let i = 0; i < values.length; i++) {
    if (at(i) < 0) continue;
    let low = longest;
    // Most files are in the same order, so most values extend the longest subsequence.
    if (longest > 0 && at(wordAt(ends, longest - 1)) >= at(i)) {
      low = 0;
      for (let high = longest; low < high; ) {
        const middle = (low + high) >>> 1;
        if (at(wordAt(ends, middle)) < at(i)) low = middle + 1;
        else high = middle;
      }
    }
    previous[i] = low > 0 ? wordAt(ends, low - 1) : -1;
    ends[low] = i;
    if (low === longest) longest++;
  }
  const kept = new Int32Array(values.length).fill(-1);
  for (let i = longest > 0 ? wordAt(ends, longest - 1) : -1; i >= 0; i = previous[i] as number) kept[i] = at(i);
  return kept;
}
