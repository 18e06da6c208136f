import Type from "typebox";
import { FILE_KINDS, FORMATS } from "./choices.ts";

export { FILE_KINDS, FORMATS };

export const Format = Type.Enum([...FORMATS], {
  title: "Format",
  description: "File format: `csvgz` (gzipped CSV) or `mmdb` (MaxMind DB).",
});
export type Format = (typeof FORMATS)[number];

export function isFormat(value: unknown): value is Format {
  return FORMATS.includes(value as Format);
}

/** File extension and content type of downloads, by format. */
export const FILE_TYPES: Record<Format, { extension: string; contentType: string }> = {
  csvgz: { extension: ".csv.gz", contentType: "application/gzip" },
  mmdb: { extension: ".mmdb", contentType: "application/octet-stream" },
};

export type FileKind = (typeof FILE_KINDS)[number];

export function isFileKind(value: unknown): value is FileKind {
  return FILE_KINDS.includes(value as FileKind);
}

export function sampleOf(format: Format): FileKind {
  return `sample_${format}`;
}

/** The format of a file, or the format that it is a sample of. */
export function formatOf(kind: FileKind): Format {
  return isFormat(kind) ? kind : kind === "sample_csvgz" ? "csvgz" : "mmdb";
}

export function fileName(databaseId: string, kind: FileKind): string {
  const { extension } = FILE_TYPES[formatOf(kind)];
  return isFormat(kind) ? `${databaseId}${extension}` : `${databaseId}.sample${extension}`;
}

/** An object with one optional value per format. */
export function byFormat<S extends Type.TSchema>(value: S, description: string) {
  return Type.Object(
    { csvgz: Type.Optional(value), mmdb: Type.Optional(value) },
    { additionalProperties: false, description },
  );
}
export type ByFormat<T> = Partial<Record<Format, T>>;

/** An object with one optional value per kind of file. */
export function byFileKind<S extends Type.TSchema>(value: S, description: string) {
  return Type.Object(
    {
      csvgz: Type.Optional(value),
      mmdb: Type.Optional(value),
      sample_csvgz: Type.Optional(value),
      sample_mmdb: Type.Optional(value),
    },
    { additionalProperties: false, description },
  );
}
export type ByFileKind<T> = Partial<Record<FileKind, T>>;
