import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { DatabaseMetadata } from "./metadata.ts";

/** The changes between two builds of a version. */

const Count = (description: string) => Type.Integer({ format: "int64", minimum: 0, description });

export const ChangeCounts = closedObject("ChangeCounts", "Numbers of rows that differ between two builds.", {
  added: Count("Rows that only the newer build has."),
  removed: Count("Rows that only the older build has."),
  changed: Count("Rows with the same key in both builds, but other values."),
});
export type ChangeCounts = Static<typeof ChangeCounts>;

const Row = Type.Record(Type.String(), Type.String(), {
  description: "The cells of a row by column. Long ones are shortened.",
});

const Examples = closedObject("ChangeExamples", "The first rows of each kind, at most 20.", {
  added: Type.Array(Row),
  removed: Type.Array(Row),
  changed: Type.Array(
    Type.Object({ before: Row, after: Row }, { additionalProperties: false, description: "A row in both builds." }),
  ),
});

export const RowChanges = closedObject("RowChanges", "How the rows of two builds differ.", {
  ...ChangeCounts.properties,
  unchanged: Count("Rows that are the same in both builds."),
  key: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description:
      "The columns that identify a row, or null if the rows have no such columns: then a row that changed counts as removed and added.",
    examples: [["network"]],
  }),
  repeated_keys: Count("How many keys several rows of a build have. Their rows are removed and added, never changed."),
  columns: Type.Array(
    Type.Object(
      { name: Type.String(), changed: Count("Changed rows with another value in this column.") },
      { additionalProperties: false, description: "A column." },
    ),
    { description: "All columns, in their order." },
  ),
  examples: Examples,
});
export type RowChanges = Static<typeof RowChanges>;

const ComparedBuild = closedObject("ComparedBuild", "A build that was compared.", {
  build_id: Type.String({ format: "uuid" }),
  updated: DatabaseMetadata.properties.updated,
  published: Type.Union([Type.String({ format: "date-time" }), Type.Null()], { description: "When it was published." }),
  entries: DatabaseMetadata.properties.entries,
});
export type ComparedBuild = Static<typeof ComparedBuild>;

export const DatabaseChanges = closedObject("DatabaseChanges", "What changed from one build to another.", {
  id: DatabaseId,
  from: Type.Union([ComparedBuild, Type.Null()], { description: "The older build, or null if `to` is the first one." }),
  to: ComparedBuild,
  changes: Type.Union([RowChanges, Type.Null()], { description: "Null if the builds cannot be compared." }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: "Why the builds cannot be compared, or null if they were.",
    examples: ["the columns of the two builds differ"],
  }),
});
export type DatabaseChanges = Static<typeof DatabaseChanges>;

export const BuildGone = closedObject("BuildGone", "The build is no longer kept.", {
  rc: Type.Literal("BUILD_GONE"),
  oldest_build_id: Type.Union([Type.String({ format: "uuid" }), Type.Null()], {
    description: "The oldest build that is still kept. Download it in full, or compare with it.",
  }),
});
export type BuildGone = Static<typeof BuildGone>;
