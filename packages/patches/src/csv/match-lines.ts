import { Uint32List, wordAt } from "@dbdepot/formats/mmdb/uint32-list";
import { HashList, matchEqual, matchUnique } from "../hash-matches.ts";
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

/** Lines that repeat are told apart by what surrounds them: first by nothing, then by more and more lines that follow. */
const CONTEXT_LINES = [1, 4, 16];

/**
 * Returns, for each line of the result, the line of the base that it copies, or -1. The lines copied are in order,
 * because a patch reads the base once from start to end. They are as many as possible, if no line repeats. Lines that
 * repeat, such as the second line of a cell with a line feed, are matched by their neighbours: the n-th of one file may
 * be any in the other.
 */
export function matchLines(base: HashList, result: HashList): Int32Array {
  let matches: Int32Array = new Int32Array(result.length).fill(-1);
  extend(matches, base, result);
  for (const lines of CONTEXT_LINES) {
    const gaps = findGaps(matches, base.length);
    const found = matchUnique(inContext(base, gaps.base, lines), inContext(result, gaps.result, lines));
    matches = withFound(matches, gaps, found);
    extend(matches, base, result);
  }
  const gaps = findGaps(matches, base.length);
  return withFound(
    matches,
    gaps,
    matchEqual(inGap(base, gaps.base, gaps.baseGaps), inGap(result, gaps.result, gaps.resultGaps)),
  );
}

/** The lines that are not matched, and for each one the number of its gap between two matches. */
interface Gaps {
  base: Uint32Array;
  baseGaps: Uint32Array;
  result: Uint32Array;
  resultGaps: Uint32Array;
}

function findGaps(matches: Int32Array, baseLines: number): Gaps {
  const [base, baseGaps, result, resultGaps] = Array.from({ length: 4 }, () => new Uint32List()) as [
    Uint32List,
    Uint32List,
    Uint32List,
    Uint32List,
  ];
  let gap = 0;
  let baseAt = 0;
  for (let line = 0; line <= matches.length; line++) {
    const match = line < matches.length ? (matches[line] as number) : baseLines;
    if (match < 0) {
      result.push(line);
      resultGaps.push(gap);
      continue;
    }
    for (; baseAt < match; baseAt++) {
      base.push(baseAt);
      baseGaps.push(gap);
    }
    baseAt++;
    gap++;
  }
  return { base: base.view(), baseGaps: baseGaps.view(), result: result.view(), resultGaps: resultGaps.view() };
}

/** Hashes of lines with those that follow. */
function inContext(hashes: HashList, lines: Uint32Array, count: number): HashList {
  const list = new HashList();
  for (const line of lines) {
    const end = Math.min(line + count, hashes.length);
    for (let each = line; each < end; each++) list.addItem(hashes, each);
    list.endItem();
  }
  return list;
}

/** Hashes that are only equal inside the same gap. */
function inGap(hashes: HashList, lines: Uint32Array, gaps: Uint32Array): HashList {
  const list = new HashList();
  for (let i = 0; i < lines.length; i++) {
    list.addItem(hashes, wordAt(lines, i));
    list.addNumber(wordAt(gaps, i));
    list.endItem();
  }
  return list;
}

function withFound(matches: Int32Array, gaps: Gaps, found: Int32Array): Int32Array {
  for (let i = 0; i < found.length; i++) {
    const match = found[i] as number;
    if (match >= 0) matches[wordAt(gaps.result, i)] = wordAt(gaps.base, match);
  }
  return longestIncrease(matches);
}

/** Adds equal lines next to matched ones, and at both ends of the files. */
function extend(matches: Int32Array, base: HashList, result: HashList): void {
  let before = -1;
  for (let start = 0; start < matches.length; start++) {
    if ((matches[start] as number) >= 0) {
      before = matches[start] as number;
      continue;
    }
    let end = start;
    while (end < matches.length && (matches[end] as number) < 0) end++;
    let after = end < matches.length ? (matches[end] as number) : base.length;
    let line = start;
    while (line < end && before + 1 < after && base.equals(before + 1, result, line)) matches[line++] = ++before;
    let last = end - 1;
    while (last >= line && after - 1 > before && base.equals(after - 1, result, last)) matches[last--] = --after;
    // The loop goes on after the gap, whose last line is the one before `end`.
    start = end - 1;
    if (end < matches.length) before = matches[end] as number;
  }
}

/** Replaces all but the longest increasing subsequence by -1. */
function longestIncrease(values: Int32Array): Int32Array {
  /** The position, for each length, at which the increasing subsequence with the smallest last value ends. */
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
