import type { Strategy } from "@dbdepot/formats/changes/compare";
import type { TableChanges } from "@dbdepot/formats/changes/summary";

/** What changed from one build to another, or why that is not known. */
export type Outcome =
  | { state: "compared"; key: string[]; strategy: Strategy; changes: TableChanges }
  | { state: "not_compared"; reason: string };

/** The counts of an outcome, without its examples. */
export type ChangeCounts = Pick<TableChanges, "added" | "removed" | "changed">;
