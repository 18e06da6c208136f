import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { byFileKind, byFormat } from "../shared/formats.ts";
import { RowChanges } from "../v2/changes.ts";
import { OperatorBuild } from "./builds.ts";
import { textOrNull } from "./fields.ts";

/**
 * The effects of publishing a build, in /api/operator responses and `dbdepot-server builds publish --dry-run --json`.
 */

const Names = Type.Array(Type.String());

const ColumnChanges = closedObject("ColumnChanges", "How the columns differ from the current build's.", {
  added: Names,
  removed: Names,
  retyped: Type.Array(
    Type.Object({ name: Type.String(), type: Type.String(), before: Type.String() }, { additionalProperties: false }),
  ),
  reordered: Type.Union([Type.Object({ order: Names, before: Names }, { additionalProperties: false }), Type.Null()], {
    description: "The columns both builds have, in their new and old order, or null if it is the same.",
  }),
});

export const BuildCheck = closedObject("BuildCheck", "What publishing the build now would do.", {
  result: Type.Enum(["ready", "unchanged", "suspicious", "overtaken", "faulty"], {
    description:
      "`ready`: it would become current. `unchanged`: its files are identical to the current build's, so it would be deleted. `suspicious`: it needs `force` because of the `warnings`. `overtaken`: another build was published since this one was created. `faulty`: it can't be published because of the `faults`.",
  }),
  faults: Type.Array(Type.String(), { description: "Why it can't be published." }),
  warnings: Type.Array(Type.String(), { description: "Signs of a mistake, which `force` overrides." }),
  notes: Type.Array(Type.String(), {
    description: "What you should know, but what does not prevent publishing, such as a csv.gz that gets no patches.",
  }),
  build: OperatorBuild,
  current_build: Type.Union([OperatorBuild, Type.Null()], {
    description: "The build it would replace, or null if none is published.",
  }),
  tables: byFileKind(
    Type.Object(
      { rows: Type.Integer({ format: "int64" }), columns: Names },
      { additionalProperties: false, description: "Rows and columns that were found in the file." },
    ),
    "What was found in the CSV files that could be read to their end.",
  ),
  comparison: Type.Union(
    [
      closedObject("BuildComparison", "How the rows differ from the current build's.", {
        state: Type.Enum(["compared", "pending", "not_compared"], {
          description: "`pending`: the builds are still being compared, so ask again.",
        }),
        changes: Type.Union([RowChanges, Type.Null()], { description: "Null unless the builds were compared." }),
        reason: textOrNull("Why the builds cannot be compared, or null."),
      }),
      Type.Null(),
    ],
    { description: "Null if no build is published, if this one can't be, or if it has no csv.gz." },
  ),
  column_changes: byFormat(ColumnChanges, "Formats whose columns differ from the current build's."),
});
export type BuildCheck = Static<typeof BuildCheck>;
