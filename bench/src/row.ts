import type { Line } from "./line.ts";
import type { Tool, Tools } from "./tools.ts";
import { absence } from "./tools.ts";
import type { Workshop } from "./workshop.ts";

/** Something that is measured, by the name that is said to measure it alone. */
export interface Row {
  name: string;
  what: string;
  needs: readonly Tool[];
  measure(workshop: Workshop): Promise<Line[]>;
}

/** Those that are named, whole or by their first words; all if none is. */
export function selectRows(rows: readonly Row[], names: readonly string[]): Row[] {
  const isNamed = (row: Row, name: string) => row.name === name || row.name.startsWith(`${name}-`);
  const unknown = names.filter((name) => !rows.some((row) => isNamed(row, name)));
  if (unknown.length > 0) throw new Error(`there is no row "${unknown[0]}"; --list says which there are`);
  return names.length === 0 ? [...rows] : rows.filter((row) => names.some((name) => isNamed(row, name)));
}

export interface Plan {
  rows: Row[];
  /** What is left out and why, in a sentence each. */
  gaps: string[];
}

export function planRows(rows: readonly Row[], tools: Tools): Plan {
  const missing = (row: Row) => row.needs.filter((tool) => !tools[tool]);
  const leftOut = Map.groupBy(
    rows.flatMap((row) => missing(row).map((tool) => ({ tool, row }))),
    ({ tool }) => tool,
  );
  const gaps = [...leftOut].map(
    ([tool, rowsWithout]) => `${absence(tool)}: left out are ${rowsWithout.map(({ row }) => row.name).join(", ")}.`,
  );
  if (!tools.wrk) {
    gaps.push(
      `${absence("wrk")}: autocannon makes the load, and is slower than what it measures, so that ratios are too good.`,
    );
  }
  return { rows: rows.filter((row) => missing(row).length === 0), gaps };
}
