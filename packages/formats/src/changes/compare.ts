/**
 * Finds the rows that were added, removed and changed between two tables. Tables that are sorted by their key, in any usual
 * order, are read side by side (merge.ts). Others are compared one part of the keys at a time (hash-compare.ts), which reads
 * them several times instead of keeping them in memory.
 */
import type { ChangeSink } from "./compare-rows.ts";
import { compareParts, TooLarge } from "./hash-compare.ts";
import { mergeTables, NotAKey, NotSorted } from "./merge.ts";
import { openTable } from "./rows.ts";

const LIMITS = {
  /** How much text of an unsorted table is in memory at a time. */
  partCharacters: 32 * 1024 * 1024,
  /** How often unsorted tables are read at most. */
  parts: 32,
};

/** How two tables can be compared. It depends only on their content, so it can be stored and used again. */
export interface Strategy {
  /** Too many rows have the same key, so a row is identified by all of its cells. */
  wholeRows: boolean;
  /** How many parts unsorted tables are compared in; 0 if they are sorted. */
  parts: number;
}

export interface Comparison {
  /** Opens one of the tables, uncompressed. May be called several times. */
  open(side: "before" | "after"): AsyncIterable<Buffer>;
  /** The columns that identify a row. */
  keyOf(header: readonly string[]): readonly number[];
  /** Called for each attempt. What an earlier sink got is void. */
  createSink(header: readonly string[]): ChangeSink;
  /** Default: found by trying. With a strategy that is known to work, there is only one attempt. */
  strategy?: Strategy | undefined;
  limits?: Partial<typeof LIMITS> | undefined;
}

/** The columns that identify a row, unless whole rows were compared; or why the tables cannot be compared. */
export type Compared = { strategy: Strategy; key: string[] } | { reason: string };

class ColumnsDiffer extends Error {}

export async function compareTables(comparison: Comparison): Promise<Compared> {
  const { parts: maxParts } = { ...LIMITS, ...comparison.limits };
  let strategy = comparison.strategy ?? { wholeRows: false, parts: 0 };
  for (;;) {
    try {
      const header = await compareUsing(strategy, comparison);
      const key = comparison.keyOf(header).map((column) => header[column] ?? "");
      return { strategy, key };
    } catch (error) {
      if (error instanceof ColumnsDiffer) return { reason: "the columns of the two builds differ" };
      if (error instanceof NotAKey) {
        if (strategy.wholeRows) return { reason: "a row is repeated more than 1,000 times" };
        strategy = { wholeRows: true, parts: 0 };
      } else if (error instanceof NotSorted) strategy = { ...strategy, parts: 1 };
      else if (!(error instanceof TooLarge)) throw error;
      else if (strategy.parts < maxParts) strategy = { ...strategy, parts: strategy.parts * 2 };
      else return { reason: "the builds are too large to compare, because their rows are not sorted by their key" };
    }
  }
}

/** Returns the header of both tables. */
async function compareUsing(strategy: Strategy, comparison: Comparison): Promise<readonly string[]> {
  const { createSink, limits } = comparison;
  const { partCharacters: maxCharacters } = { ...LIMITS, ...limits };
  const keyOf = (header: readonly string[]) => (strategy.wholeRows ? null : comparison.keyOf(header));
  let sink: ChangeSink | undefined;
  let header: readonly string[] = [];
  for (let index = 0; index < Math.max(1, strategy.parts); index++) {
    const before = await openTable(comparison.open("before"), keyOf);
    try {
      const after = await openTable(comparison.open("after"), keyOf);
      try {
        if (!isEqual(before.header, after.header)) throw new ColumnsDiffer();
        header = after.header;
        sink ??= createSink(header);
        if (strategy.parts === 0) await mergeTables(before.batches, after.batches, sink);
        else await compareParts(before.batches, after.batches, { index, count: strategy.parts, maxCharacters }, sink);
      } finally {
        await after.close();
      }
    } finally {
      await before.close();
    }
  }
  return header;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
