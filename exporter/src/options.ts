import { parseDatabaseId } from "@dbdepot/contract/database-id";
import { FORMATS, type Format, isFormat } from "@dbdepot/contract/formats";
import { type ColumnSpec, isKnownType } from "./columns/column-spec.ts";
import { ExportFault } from "./export-fault.ts";
import type { ObjectRow } from "./input/object-rows.ts";

export interface ExportOptions {
  /** `<family>_v<n>`. */
  id: string;
  /** The path of a CSV file with a header, plain or gzipped; or rows. */
  input: string | AsyncIterable<ObjectRow> | Iterable<ObjectRow>;
  /** Made if it is not there. */
  outDir: string;
  /** The day on which the data was generated, YYYY-MM-DD. */
  updated: string;
  /** Left out: csvgz, and mmdb where rows have a network. */
  formats?: readonly Format[];
  /** How often a new build is published, in words; left out, the document does not say. */
  updateFreq?: string;
  /** What is known about some of the columns; the rest is inferred. */
  columns?: readonly ColumnSpec[];
  /** What the mmdb says of itself, in English; left out, its id. */
  description?: string;
  /** Told every few thousand rows: input bytes read so far, and rows done in this stage. */
  onProgress?: (bytesRead: number, rows: number, stage: "reading" | "mmdb") => void;
  /** Ends the export between two rows; nothing stays behind. */
  signal?: AbortSignal;
}

/** Throws what is wrong with the options, all at once; gives the family's name. */
export function checkOptions({ id, updated, formats, columns }: ExportOptions): { base: string } {
  const faults: string[] = [];
  const base = parseDatabaseId(id)?.base;
  if (base === undefined) faults.push(`${JSON.stringify(id)} is not a database id of the shape <family>_v<n>`);
  if (!isDate(updated)) faults.push(`updated: ${JSON.stringify(updated)} is not a date of the shape YYYY-MM-DD`);
  if (formats?.length === 0 || formats?.some((format) => !isFormat(format))) {
    faults.push(`formats: one or more of ${FORMATS.join(", ")}`);
  }
  for (const { name, type } of columns ?? []) {
    if (type !== undefined && !isKnownType(type))
      faults.push(`columns: ${name}: ${JSON.stringify(type)} is not a type`);
  }
  if (base === undefined || faults.length > 0) throw new ExportFault(faults);
  return { base };
}

export function epochSeconds(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 1000;
}

/** The 30th of February is none, though Date takes it for the 2nd of March. */
function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) || Number.isNaN(Date.parse(text))) return false;
  // The mmdb counts seconds since 1970 and knows none before.
  return epochSeconds(text) >= 0 && new Date(text).toISOString().startsWith(text);
}
