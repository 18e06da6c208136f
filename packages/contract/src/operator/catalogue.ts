import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { Format } from "../shared/formats.ts";
import { OperatorBuild } from "./builds.ts";
import { Archived, Base, Created, FamilyName, Line, listOf, textOrNull, UpdatedFields } from "./fields.ts";
import { closedQuery } from "./queries.ts";

/** Families and versions as operators see them. */

export const OperatorFamily = closedObject("OperatorFamily", "A database family. Licences are granted per family.", {
  base: Base,
  name: Type.String({ description: "Display name." }),
  visibility: Type.Enum(["public", "private"], {
    description: "`private` families are visible only to organizations that hold or held a licence.",
  }),
  created: Created,
  archived: Archived,
  open: Type.Boolean({
    description: "Whether every key with the scope `db.download` can download it without a licence.",
  }),
});
export type OperatorFamily = Static<typeof OperatorFamily>;

export const FamilyList = closedObject("FamilyList", "All families.", {
  families: listOf(OperatorFamily, "Ordered by `base`."),
});
export type FamilyList = Static<typeof FamilyList>;

const Open = Type.Boolean({
  description:
    "Whether every key with the scope `db.download` can download it without a licence. Not for `private` families.",
});

const ArchivedFlag = Type.Optional(
  Type.Boolean({ description: "Whether it is hidden from customers and can't be downloaded." }),
);

export const AddFamilyRequest = closedObject("AddFamilyRequest", "The family to add.", {
  base: FamilyName,
  name: Type.String({ ...Line, description: "Display name." }),
  visibility: Type.Optional(
    Type.Enum(["public", "private"], {
      default: "public",
      description: "`private` families are visible only to organizations that hold or held a licence.",
    }),
  ),
  open: Type.Optional(Type.Boolean({ ...Open, default: false })),
});
export type AddFamilyRequest = Static<typeof AddFamilyRequest>;

export const UpdateFamilyRequest = closedObject("UpdateFamilyRequest", UpdatedFields, {
  name: Type.Optional(Type.String({ ...Line, description: "Display name." })),
  visibility: Type.Optional(
    Type.Enum(["public", "private"], {
      description: "`private` families are visible only to organizations that hold or held a licence.",
    }),
  ),
  archived: ArchivedFlag,
  open: Type.Optional(Open),
});
export type UpdateFamilyRequest = Static<typeof UpdateFamilyRequest>;

const Recompress = Type.Boolean({
  description:
    "Whether a csv.gz is compressed again when it is published, with the same rows, so that customers get patches whatever program compressed it.",
});

const HasTables = Type.Boolean({
  description:
    "Whether each build is also written as Parquet after it was published, and shared with customers as a table. Needs `csvgz`.",
});

export const OperatorVersion = closedObject("OperatorVersion", "A frozen, numbered version of a family.", {
  id: DatabaseId,
  base: Base,
  version: Type.Integer({ description: "Version number." }),
  summary: Type.String({ description: "One line on what this version contains." }),
  formats: Type.Array(Format, { description: "Formats this version is built in." }),
  current_build_id: textOrNull("The current build, or null if none is published."),
  created: Created,
  archived: Archived,
  recompress: Recompress,
  tables: HasTables,
});
export type OperatorVersion = Static<typeof OperatorVersion>;

export const ListedVersion = closedObject("ListedVersion", "A version and its current build.", {
  ...OperatorVersion.properties,
  current_build: Type.Union([OperatorBuild, Type.Null()], {
    description: "The current build, or null if none is published.",
  }),
  update_freq: textOrNull("How often a new build is published, from the metadata of the current build, or null."),
  overdue: Type.Boolean({
    description:
      "Whether the next build is late, judging by `update_freq` (for example `daily` or `every 6 hours`). False if it names no interval, or if the version is archived.",
  }),
  planned: Type.Boolean({
    description:
      "Whether the version has had no build yet. Customers do not see it in the list before its first build.",
  }),
});
export type ListedVersion = Static<typeof ListedVersion>;

export const VersionList = closedObject("VersionList", "All versions, or the versions of one family.", {
  versions: listOf(ListedVersion, "Ordered by family and version number."),
});
export type VersionList = Static<typeof VersionList>;

export const VersionsQuery = closedQuery({
  base: Type.Optional(Type.String({ ...FamilyName, description: "Only this family." })),
});
export type VersionsQuery = Static<typeof VersionsQuery>;

export const AddVersionRequest = closedObject("AddVersionRequest", "The version to add.", {
  id: DatabaseId,
  summary: Type.String({ ...Line, description: "One line on what this version contains." }),
  formats: Type.Array(Format, { maxItems: 16, description: "Formats this version is built in, at least one." }),
  recompress: Type.Optional(Recompress),
  tables: Type.Optional(HasTables),
});
export type AddVersionRequest = Static<typeof AddVersionRequest>;

export const UpdateVersionRequest = closedObject("UpdateVersionRequest", UpdatedFields, {
  summary: Type.Optional(Type.String({ ...Line, description: "One line on what this version contains." })),
  archived: ArchivedFlag,
  recompress: Type.Optional(Recompress),
  tables: Type.Optional(HasTables),
});
export type UpdateVersionRequest = Static<typeof UpdateVersionRequest>;
