import type { ByFileKind } from "@dbdepot/contract/shared/formats";
import type { Checksums } from "@dbdepot/contract/v2/checksums";

/**
 * Staged: its files are being uploaded. Published: it is or was the current build, and can be pinned and rolled back
 * to. Withdrawn: never served again. Removed: its files are deleted.
 */
export type BuildState = "staged" | "published" | "withdrawn" | "removed";

export interface BuildFile {
  objectKey: string;
  sizeBytes: number;
  checksums: Checksums;
}

/** One immutable publication of a version, without its metadata document, which can be several megabytes long. */
export interface BuildSummary {
  id: string;
  versionId: string;
  state: BuildState;
  /** The date in the metadata document, YYYY-MM-DD. */
  updated: string;
  entries: number;
  /** One in each format of the version, and samples of them. */
  files: ByFileKind<BuildFile>;
  created: Date;
  published: Date | null;
  withdrawn: Date | null;
  /** Why it was withdrawn, for customers. */
  withdrawnReason?: string | null;
}

export interface Build extends BuildSummary {
  /** The metadata document, byte for byte. */
  metadata: Buffer;
}
