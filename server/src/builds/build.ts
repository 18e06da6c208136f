import type { Checksums } from "@dbdepot/contract/checksums";
import type { ByFormat } from "@dbdepot/contract/formats";

/**
 * Staged: its files may still be arriving. Published: handed out, or was until a newer
 * build came; can be pinned and rolled back to. Withdrawn: never handed out again.
 * Removed: its files are gone, only its history is left.
 */
export type BuildState = "staged" | "published" | "withdrawn" | "removed";

export interface BuildFile {
  objectKey: string;
  sizeBytes: number;
  checksums: Checksums;
}

/** One immutable publication of a version. */
export interface Build {
  id: string;
  versionId: string;
  state: BuildState;
  /** The exporter's document, byte for byte. */
  metadata: Buffer;
  /** From the document: the day of its making, YYYY-MM-DD. */
  updated: string;
  entries: number;
  files: ByFormat<BuildFile>;
  created: Date;
  published: Date | null;
  withdrawn: Date | null;
}
