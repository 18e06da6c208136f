import Type, { type Static } from "typebox";
import { DatabaseId } from "../shared/database-id.ts";
import { byFormat } from "../shared/formats.ts";

export const IsoDate = Type.String({
  pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
  format: "date",
  description: "The date the build was generated.",
});

export const Count = Type.Integer({ format: "int64", minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const Column = Type.Object(
  {
    name: Type.String({ minLength: 1, description: "Column name as it appears in the file." }),
    type: Type.String({ minLength: 1, description: "Value type." }),
    description: Type.Optional(Type.String({ description: "What the column means." })),
  },
  { title: "Column", description: "A column of a file." },
);
export type Column = Static<typeof Column>;

export const DatabaseMetadata = Type.Object(
  {
    id: DatabaseId,
    update_freq: Type.Optional(Type.String({ description: "How often a new build is published." })),
    updated: IsoDate,
    entries: Type.Integer({ ...Count, description: "Number of rows in the build." }),
    schema: byFormat(Type.Array(Column), "Columns by format."),
    sample: Type.Optional(
      byFormat(Type.Array(Type.Record(Type.String(), Type.Unknown())), "A few real rows by format."),
    ),
    size: byFormat(Count, "File size in bytes by format."),
    sample_entries: Type.Optional(
      Type.Integer({ ...Count, description: "Number of rows in the sample files, if the build has any." }),
    ),
    sample_size: Type.Optional(byFormat(Count, "Size of the sample files in bytes by format.")),
  },
  { title: "DatabaseMetadata", description: "The build's metadata document, exactly as the exporter wrote it." },
);
export type DatabaseMetadata = Static<typeof DatabaseMetadata>;
