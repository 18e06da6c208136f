import type { ComparedBuild, DatabaseChanges, RowChanges } from "@dbdepot/contract/v2/changes";
import type { BuildSummary } from "../build.ts";
import type { Outcome } from "./outcome.ts";

export function changesToWire(from: BuildSummary | undefined, to: BuildSummary, outcome: Outcome): DatabaseChanges {
  return {
    id: to.versionId,
    from: from ? comparedBuildToWire(from) : null,
    to: comparedBuildToWire(to),
    changes: rowChangesToWire(outcome),
    reason: outcome.state === "not_compared" ? outcome.reason : null,
  };
}

export function rowChangesToWire(outcome: Outcome): RowChanges | null {
  if (outcome.state === "not_compared") return null;
  const { repeatedKeys, rowsBytes: _, ...changes } = outcome.changes;
  return { ...changes, key: outcome.strategy.wholeRows ? null : outcome.key, repeated_keys: repeatedKeys };
}

function comparedBuildToWire({ id, updated, published, entries }: BuildSummary): ComparedBuild {
  return { build_id: id, updated, published: published?.toISOString() ?? null, entries };
}
