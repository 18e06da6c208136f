import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { byFileKind, Format } from "../shared/formats.ts";
import { ChangeCounts } from "../v2/changes.ts";
import { Checksums } from "../v2/checksums.ts";
import { BuildSignatureOrNull } from "../v2/manifests.ts";
import { Created, listOf, textOrNull, timeOrNull } from "./fields.ts";
import { closedQuery, pageParameters } from "./queries.ts";

/** Builds as operators see them, and the steps of publishing one. */

const OperatorBuildFile = closedObject("OperatorBuildFile", "A completely uploaded file of a build.", {
  size_bytes: Type.Integer({ format: "int64" }),
  checksums: Checksums,
});

export const OperatorBuild = closedObject("OperatorBuild", "One immutable build of a version.", {
  id: Type.String(),
  version_id: DatabaseId,
  state: Type.Enum(["staged", "published", "withdrawn", "removed"], {
    description:
      "`staged`: not published yet. `published`: is or was the current build. `withdrawn`: can no longer be downloaded. `removed`: its files have been deleted.",
  }),
  current: Type.Boolean({ description: "Whether this is the current build." }),
  updated: Type.String({ description: "The date it was generated, from its metadata." }),
  entries: Type.Integer({ format: "int64", description: "Number of rows, from its metadata." }),
  files: byFileKind(OperatorBuildFile, "Completely uploaded files: one in each format, and samples."),
  created: Created,
  published: timeOrNull("When it was published, or null if it was not."),
  withdrawn: timeOrNull("When it was withdrawn, or null if it was not."),
  withdrawn_reason: textOrNull("Why it was withdrawn, as customers see it, or null."),
});
export type OperatorBuild = Static<typeof OperatorBuild>;

export const BuildPatch = closedObject("BuildPatch", "A patch to a build, or why it was not made.", {
  format: Format,
  from_build_id: textOrNull("The build that it starts from, or null for a compressed copy of the whole file."),
  size_bytes: Type.Union([Type.Integer({ format: "int64" }), Type.Null()], {
    description: "Size of the patch, or null if it was dropped.",
  }),
  reason: textOrNull("Why it was dropped, or null if customers get it."),
  duration_ms: Type.Integer({ description: "How long it took to make and to check." }),
  created: Created,
});
export type BuildPatch = Static<typeof BuildPatch>;

export const ListedBuild = closedObject("ListedBuild", "A build, who published it, and what it followed.", {
  ...OperatorBuild.properties,
  previous_build_id: textOrNull("The build that was current when this one was created, or null if there was none."),
  published_by: textOrNull(
    "`command:<user>` for the CLI, `key:<prefix>` for the API, `account:<email>` for the console, or null if it was not published.",
  ),
  signature: BuildSignatureOrNull,
  changes: Type.Union([ChangeCounts, Type.Null()], {
    description: "How its rows differ from those of `previous_build_id`, or null if that is not known.",
  }),
  patches: listOf(
    BuildPatch,
    "Patches from earlier builds to this one. They are made after it was published, and deleted after it was replaced.",
  ),
});
export type ListedBuild = Static<typeof ListedBuild>;

export const BuildList = closedObject("BuildList", "All builds of a version.", {
  builds: listOf(ListedBuild, "Newest first."),
});
export type BuildList = Static<typeof BuildList>;

export const BuildsQuery = closedQuery({ version: DatabaseId });
export type BuildsQuery = Static<typeof BuildsQuery>;

export const BuildListQuery = closedQuery({ version: DatabaseId, ...pageParameters });
export type BuildListQuery = Static<typeof BuildListQuery>;

export const UploadQuery = closedQuery({
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: "Number of bytes received so far. The body is the rest of the file.",
    }),
  ),
  recompress: Type.Optional(
    Type.Boolean({
      description:
        "Whether to compress a csv.gz again, with the same rows, so that customers get patches (default: as set for the version). Send it with each part.",
    }),
  ),
});
export type UploadQuery = Static<typeof UploadQuery>;

export const BuildUpload = closedObject("BuildUpload", "A build and the upload progress of its files.", {
  ...OperatorBuild.properties,
  received: byFileKind(
    Type.Integer({ format: "int64" }),
    "Bytes received so far of files that are still incomplete. Resume with `offset`. Samples are optional and appear once their upload has begun.",
  ),
});
export type BuildUpload = Static<typeof BuildUpload>;

export const CsvQuery = closedQuery({
  version: DatabaseId,
  updated: Type.Optional(
    Type.String({ format: "date", description: "The day on which the data was generated (default: today)." }),
  ),
  update_freq: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "How often a new build is published, like `daily` (default: as in the current build).",
    }),
  ),
});
export type CsvQuery = Static<typeof CsvQuery>;

export const CsvStep = Type.Union(
  [
    closedObject("CsvProgress", "What has been done so far.", {
      stage: Type.Enum(["reading", "mmdb", "sample", "storing"]),
      rows: Type.Optional(Type.Integer({ format: "int64", description: "Rows done in this stage." })),
      done_bytes: Type.Optional(Type.Integer({ format: "int64" })),
      total_bytes: Type.Optional(Type.Integer({ format: "int64" })),
    }),
    closedObject("CsvDone", "The build, which can now be checked and published.", {
      stage: Type.Literal("done"),
      build: BuildUpload,
      warnings: Type.Array(Type.String(), { description: "Problems that did not prevent the export." }),
    }),
    closedObject("CsvFailed", "The CSV is invalid, or could not be exported. Nothing is left behind.", {
      stage: Type.Literal("failed"),
      faults: Type.Array(Type.String()),
    }),
  ],
  { title: "CsvStep", description: "One line of the response." },
);
export type CsvStep = Static<typeof CsvStep>;

export const PublishBuildRequest = closedObject("PublishBuildRequest", "Publish options. The body is optional.", {
  force: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Publish even if the build is older than the current one, its row count or size differs by more than half, its columns differ, or its files are identical.",
    }),
  ),
  keep: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: "Number of builds of this version to keep. Older ones are deleted (default: keep all).",
    }),
  ),
});
export type PublishBuildRequest = Static<typeof PublishBuildRequest>;

export const PublishedBuild = closedObject("PublishedBuild", "The build that is now current.", {
  build_id: Type.String(),
  ...OperatorBuild.properties,
  unchanged: Type.Boolean({
    description:
      "True if the current build already had the same files. Then nothing was published, the new build was deleted, and this is the current build.",
  }),
  removed_build_ids: Type.Array(Type.String(), { description: "Builds whose files were deleted because of `keep`." }),
  notes: Type.Array(Type.String(), {
    description: "What you should know about the files, such as a csv.gz that gets no patches.",
  }),
});
export type PublishedBuild = Static<typeof PublishedBuild>;

export const RollBackRequest = closedObject("RollBackRequest", "Rollback options. The body is optional.", {
  to: Type.Optional(
    Type.String({ format: "uuid", description: "The build to restore (default: the previously current one)." }),
  ),
});
export type RollBackRequest = Static<typeof RollBackRequest>;

export const RolledBackBuild = closedObject("RolledBackBuild", "The build that is current again.", {
  build_id: Type.String(),
  ...OperatorBuild.properties,
});
export type RolledBackBuild = Static<typeof RolledBackBuild>;

export const WithdrawRequest = closedObject("WithdrawRequest", "Withdrawal options. The body is optional.", {
  reason: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "Why the build is withdrawn. Customers see it.",
      examples: ["Wrong countries in Asia"],
    }),
  ),
});
export type WithdrawRequest = Static<typeof WithdrawRequest>;

export const WithdrawnBuild = closedObject("WithdrawnBuild", "The withdrawn build.", {
  ...OperatorBuild.properties,
  current_build_id: Type.Union([Type.String(), Type.Null()], {
    description: "The build that is now current, or null if none is left.",
  }),
});
export type WithdrawnBuild = Static<typeof WithdrawnBuild>;
