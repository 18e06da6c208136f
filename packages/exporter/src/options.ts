import { parseDatabaseId } from "@dbdepot/contract/shared/database-id";
import { FORMATS, type Format, isFormat } from "@dbdepot/contract/shared/formats";
import { type ColumnSpec, isKnownType } from "./columns/column-spec.ts";
import { ExportFault } from "./export-fault.ts";
import type { ObjectRow } from "./input/object-rows.ts";

export interface ExportOptions {
  /** `<family>_v<n>`. */
  id: string;
  /** The path of a CSV file with a header, plain or gzipped; or rows. */
  input: string | AsyncIterable<ObjectRow> | Iterable<ObjectRow>;
  /** Created if missing. */
  outDir: string;
  /** The day on which the data was generated, YYYY-MM-DD. */
  updated: string;
  /** Default: csvgz, and mmdb if rows have a network. */
  formats?: readonly Format[];
  /** How often a new build is published, like "daily". */
  updateFreq?: string;
  /** Types and descriptions of columns. The types of other columns are inferred. */
  columns?: readonly ColumnSpec[];
  /** English description stored in the mmdb. Default: the id. */
  description?: string;
  /** Also writes samples with at most this many rows: `<id>.sample.csv.gz` and `<id>.sample.mmdb`. */
  sampleRows?: number;
  /** Called every few thousand rows with the number of input bytes read and of rows done in this stage. */
  onProgress?: (bytesRead: number, rows: number, stage: "reading" | "mmdb" | "sample") => void;
  /** Aborts the export; no files are left behind. */
  signal?: AbortSignal;
}

/** Throws an ExportFault with every fault. Returns the family's name. */
export function checkOptions({ id, updated, formats, columns, sampleRows }: ExportOptions): { base: string } {
  const faults: string[] = [];
  const base = parseDatabaseId(id)?.base;
  if (base === undefined) faults.push(`${JSON.stringify(id)} is not a version id: use <family>_v<n>, like vpn_ip_v1`);
  if (!isDate(updated)) faults.push(`updated: ${JSON.stringify(updated)} is not a date like 2026-11-17`);
  if (formats?.length === 0 || formats?.some((format) => !isFormat(format))) {
    faults.push(`formats: choose one or more of ${FORMATS.join(", ")}`);
  }
  if (sampleRows !== undefined && !(Number.isSafeInteger(sampleRows) && sampleRows > 0)) {
    faults.push(`sampleRows: ${sampleRows} is not a whole number above 0`);
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

/** Date accepts the 30th of February as the 2nd of March. */
function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) || Number.isNaN(Date.parse(text))) return false;
  // The mmdb stores seconds since 1970, unsigned.
  return epochSeconds(text) >= 0 && new Date(text).toISOString().startsWith(text);
}
