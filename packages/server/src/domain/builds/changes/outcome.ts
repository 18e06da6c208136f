import type { Strategy } from "@dbdepot/formats/changes/compare";
import type { TableChanges } from "@dbdepot/formats/changes/summary";

/** The changes from one build to another, or the reason why they are not known. */
export type Outcome =
  | { state: "compared"; key: string[]; strategy: Strategy; changes: TableChanges }
  | { state: "not_compared"; reason: string };

/** Leaves out the examples that contain rows of the older build. */
export function withoutOldRows(outcome: Outcome): Outcome {
  if (outcome.state === "not_compared") return outcome;
  const { changes } = outcome;
  return { ...outcome, changes: { ...changes, examples: { ...changes.examples, removed: [], changed: [] } } };
}

/** The counts of an outcome, without its examples. */
export type ChangeCounts = Pick<TableChanges, "added" | "removed" | "changed">;
