import type { OperatorBuild } from "@dbdepot/contract/operator/builds";
import type { FileKind, Format } from "@dbdepot/contract/shared/formats";

export const FILE_NAMES: Record<FileKind, string> = {
  csvgz: "CSV (gzip)",
  mmdb: "MMDB",
  sample_csvgz: "CSV sample",
  sample_mmdb: "MMDB sample",
};

const SHORT_NAMES: Record<Format, string> = { csvgz: "CSV", mmdb: "MMDB" };
const EXTENSIONS: Record<Format, string> = { csvgz: ".csv.gz", mmdb: ".mmdb" };

/** The format that most customers want: the one that can be looked up. */
export function preferredFormat(formats: readonly Format[]): Format {
  return formats.includes("mmdb") ? "mmdb" : "csvgz";
}

/** "CSV, MMDB" */
export function formatList(formats: readonly Format[]): string {
  return formats.map((format) => SHORT_NAMES[format]).join(", ");
}

export function fileNameOf(id: string, format: Format): string {
  return id + EXTENSIONS[format];
}

/** The size of all files of a build together. */
export function sizeOf({ files }: OperatorBuild): number {
  return Object.values(files).reduce((sum, { size_bytes: bytes }) => sum + bytes, 0);
}
