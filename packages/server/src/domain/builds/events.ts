import type { Version } from "../catalogue/version.ts";
import type { NewEvent } from "../events/events.ts";
import type { Build } from "./build.ts";
import type { ChangeCounts, Outcome } from "./changes/outcome.ts";

/**
 * The build is now the current one, because it was published or rolled back to. Its changes are included if it was compared
 * with the previous build already.
 */
export function publishedEvent(version: Version, build: Build, outcome: Outcome | undefined): NewEvent {
  const counts = outcome?.state === "compared" ? countsOf(outcome.changes) : null;
  return {
    type: "build.published",
    base: version.base,
    data: {
      id: version.id,
      build_id: build.id,
      previous_build_id: version.currentBuildId,
      updated: build.updated,
      entries: build.entries,
      changes: counts,
    },
  };
}

/** `currentBuildId` is null if the version has no build any more. */
export function withdrawnEvent(version: Version, build: Build, currentBuildId: string | null): NewEvent {
  return {
    type: "build.withdrawn",
    base: version.base,
    data: {
      id: version.id,
      build_id: build.id,
      current_build_id: currentBuildId,
      reason: build.withdrawnReason ?? null,
    },
  };
}

function countsOf({ added, removed, changed }: ChangeCounts): ChangeCounts {
  return { added, removed, changed };
}
