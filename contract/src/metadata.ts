import Type, { type Static } from "typebox";
import { DatabaseId } from "./database-id.ts";
import { byFormat } from "./formats.ts";

const IsoDate = Type.String({
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
  format: "date",
  description: "The day on which this build was generated.",
});
const Count = Type.Integer({ format: "int64", minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const Column = Type.Object(
  {
    name: Type.String({ minLength: 1, description: "The column's name, as in the file." }),
    type: Type.String({ minLength: 1, description: "What kind of value it holds." }),
    description: Type.Optional(Type.String({ description: "What the value means." })),
  },
  { title: "Column", description: "One column of a file: its name, its type, and what it holds." },
);
export type Column = Static<typeof Column>;

export const DatabaseMetadata = Type.Object(
  {
    id: DatabaseId,
    update_freq: Type.Optional(Type.String({ description: "How often a new build is published." })),
    updated: IsoDate,
    entries: Type.Integer({ ...Count, description: "How many rows this build has." }),
    schema: byFormat(Type.Array(Column), "The columns of each format."),
    sample: Type.Optional(
      byFormat(Type.Array(Type.Record(Type.String(), Type.Unknown())), "A few real rows of each format."),
    ),
    size: byFormat(Count, "The bytes of each format's file."),
  },
  { title: "DatabaseMetadata", description: "The exporter's own document about a build, served unchanged." },
);
export type DatabaseMetadata = Static<typeof DatabaseMetadata>;

export const LegacyMetadata = Type.Object(
  {
    rc: Type.Literal("SUCCESS"),
    data: Type.Object(
      {
        updated: IsoDate,
        entries: Type.Integer({
          ...Count,
          description: "How many data rows this build has, the CSV header not counted.",
        }),
        size: Type.Object(
          { csvgz: Count, mmdb: Type.Optional(Count) },
          {
            additionalProperties: false,
            description: "The bytes of each format's file; no `mmdb` where there is none.",
          },
        ),
      },
      { title: "LegacyMetadataData", additionalProperties: false, description: "v1: date, rows and sizes of a build." },
    ),
  },
  { title: "LegacyMetadata", additionalProperties: false, description: "v1: what the published build holds." },
);
export type LegacyMetadata = Static<typeof LegacyMetadata>;
