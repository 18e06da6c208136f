import type { DatabaseMetadata, Format } from "../wire.ts";

/** In the order in which they are preferred: an mmdb is what programs open. */
export const FORMATS = ["mmdb", "csvgz"] as const satisfies readonly Format[];

const EXTENSIONS: Record<Format, string> = { mmdb: ".mmdb", csvgz: ".csv.gz" };

export function fileNameOf(id: string, format: Format): string {
  return `${id}${EXTENSIONS[format]}`;
}

export function extensionOf(format: Format): string {
  return EXTENSIONS[format];
}

/** What a build comes as. Its sizes tell; a service that leaves them out still has the columns. */
export function formatsOf({ size, schema }: DatabaseMetadata): Format[] {
  return FORMATS.filter((format) => size?.[format] !== undefined || schema?.[format] !== undefined);
}

/** What to fetch when nobody said which: mmdb where there is one. */
export function preferredFormat(metadata: DatabaseMetadata): Format {
  return formatsOf(metadata)[0] ?? FORMATS[0];
}
