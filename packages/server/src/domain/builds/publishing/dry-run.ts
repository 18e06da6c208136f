import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { FileKind } from "@dbdepot/contract/shared/formats";
import { requireVersion } from "../../catalogue/catalogue.ts";
import type { Tables } from "../../store.ts";
import type { Build } from "../build.ts";
import type { Outcome } from "../changes/outcome.ts";
import { rowChangesToWire } from "../changes/wire.ts";
import { readDocument } from "../document.ts";
import { buildToWire } from "../wire.ts";
import { changedColumns } from "./column-changes.ts";
import { type Review, reviewBuild } from "./review.ts";
import { requireStaged } from "./stage.ts";

/** Compares two builds. Undefined: that is still going on. */
export type Compare = (builds: { before: Build; after: Build }) => Promise<Outcome | undefined>;

/** Reports what publishing a staged build now would do. Changes nothing. */
export async function checkBuild(tables: Tables, id: string, compare: Compare): Promise<BuildCheck> {
  const build = await requireStaged(tables, id);
  const version = await requireVersion(tables, build.versionId);
  const document = await readDocument(build.metadata);
  const review = await reviewBuild(tables, version, build, document);
  const { faults, warnings, notes, current } = review;
  return {
    result: resultOf(review),
    faults,
    warnings,
    notes,
    build: buildToWire(build, version.currentBuildId),
    current_build: current ? buildToWire(current, current.id) : null,
    tables: tablesOf(review),
    comparison: await comparisonOf(build, review, compare),
    column_changes: current && "metadata" in document ? changedColumns(build, current) : {},
  };
}

/** Checks in the order in which `publishBuild` refuses without `force`. */
function resultOf({ faults, warnings, isUnchanged, isOvertaken }: Review): BuildCheck["result"] {
  if (faults.length > 0) return "faulty";
  if (isUnchanged) return "unchanged";
  if (isOvertaken) return "overtaken";
  return warnings.length > 0 ? "suspicious" : "ready";
}

async function comparisonOf(
  build: Build,
  { faults, current }: Review,
  compare: Compare,
): Promise<BuildCheck["comparison"]> {
  if (faults.length > 0 || !current || !build.files.csvgz) return null;
  const outcome = await compare({ before: current, after: build });
  return {
    state: outcome?.state ?? "pending",
    changes: outcome ? rowChangesToWire(outcome) : null,
    reason: outcome?.state === "not_compared" ? outcome.reason : null,
  };
}

function tablesOf({ files }: Review): BuildCheck["tables"] {
  const found: BuildCheck["tables"] = {};
  for (const [kind, { report }] of Object.entries(files) as [FileKind, (typeof files)["csvgz"] & object][]) {
    if (report.table) found[kind] = { rows: report.table.entries, columns: report.table.header };
  }
  return found;
}
