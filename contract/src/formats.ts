import Type from "typebox";

/** File formats a database can be built in. */
export const FORMATS = ["csvgz", "mmdb"] as const;

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

export function fileName(databaseId: string, format: Format): string {
  return `${databaseId}${FILE_TYPES[format].extension}`;
}

/** An object with one optional value per format. */
export function byFormat<S extends Type.TSchema>(value: S, description: string) {
  return Type.Object(
    { csvgz: Type.Optional(value), mmdb: Type.Optional(value) },
    { additionalProperties: false, description },
  );
}
export type ByFormat<T> = Partial<Record<Format, T>>;
