import type { Format } from "@dbdepot/contract/shared/formats";

export const FORMAT_NAMES: Record<Format, string> = { csvgz: "CSV (gzip)", mmdb: "MMDB" };

const EXTENSIONS: Record<Format, string> = { csvgz: ".csv.gz", mmdb: ".mmdb" };

export function fileNameOf(id: string, format: Format): string {
  return id + EXTENSIONS[format];
}
