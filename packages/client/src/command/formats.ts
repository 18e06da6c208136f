import type { DatabaseMetadata, Format } from "../api/wire.gen.ts";

/** All formats; the preferred one is first. */
export const FORMATS = ["mmdb", "csvgz"] as const satisfies readonly Format[];

const EXTENSIONS: Record<Format, string> = { mmdb: ".mmdb", csvgz: ".csv.gz" };

export function fileNameOf(id: string, format: Format, isSample = false): string {
  return `${id}${isSample ? ".sample" : ""}${EXTENSIONS[format]}`;
}

export function extensionOf(format: Format): string {
  return EXTENSIONS[format];
}

/** The formats of a build. Some services omit sizes but list columns. */
export function formatsOf({ size, schema }: DatabaseMetadata): Format[] {
  return FORMATS.filter((format) => size?.[format] !== undefined || schema?.[format] !== undefined);
}

/** The format to download by default. */
export function preferredFormat(metadata: DatabaseMetadata): Format {
  return formatsOf(metadata)[0] ?? FORMATS[0];
}
