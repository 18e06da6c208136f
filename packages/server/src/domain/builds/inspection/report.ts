import type { Checksums } from "@dbdepot/contract/v2/checksums";

interface TableReport {
  header: string[];
  /** Data rows, without the header. */
  entries: number;
}

/** The findings of an inspection. They do not depend on the metadata document. */
export interface FileReport {
  faults: string[];
  /** Null if the file is not a table or was not read to its end. */
  table: TableReport | null;
  /** Whether patches of a csv.gz can reproduce its compression. Absent if it is too small for patches, or was not read to its end. */
  isReproducible?: boolean;
}

export interface InspectedFile {
  sizeBytes: number;
  checksums: Checksums;
  report: FileReport;
}
