import type { Flag } from "./schema/columns.ts";

const IDS_PER_STATEMENT = 1000;

export function toTime(date: Date): string;
export function toTime(date: Date | null): string | null;
export function toTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

export function fromTime(time: string): Date;
export function fromTime(time: string | null): Date | null;
export function fromTime(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

/** A boolean as it is stored. */
export function toFlag(value: boolean): Flag {
  return value ? 1 : 0;
}

/** Both engines limit the number of parameters in a statement to about 32,000. */
export async function inBatches<R>(ids: readonly string[], query: (batch: string[]) => Promise<R[]>): Promise<R[]> {
  const rows: R[] = [];
  for (let first = 0; first < ids.length; first += IDS_PER_STATEMENT) {
    rows.push(...(await query(ids.slice(first, first + IDS_PER_STATEMENT))));
  }
  return rows;
}
