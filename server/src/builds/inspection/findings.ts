import type { Checksums } from "@dbdepot/contract/checksums";

/** What a table's text tells of itself. */
interface TableFindings {
  header: string[];
  /** Data rows: the header does not count, and a line break inside quotes makes no row. */
  entries: number;
}

/** What was found out about a file while it went by, whatever its metadata document says of it. */
export interface FileFindings {
  /** What is wrong with the file by itself. */
  faults: string[];
  /** Null for what is no table, or could not be read to its end. */
  table: TableFindings | null;
}

export interface Inspected {
  sizeBytes: number;
  checksums: Checksums;
  findings: FileFindings;
}
