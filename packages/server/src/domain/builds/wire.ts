import type { OperatorBuild, PublishedBuild } from "@dbdepot/contract/operator/builds";
import type { Build, BuildSummary } from "./build.ts";

export function buildToWire(build: BuildSummary, currentBuildId: string | null): OperatorBuild {
  return {
    id: build.id,
    version_id: build.versionId,
    state: build.state,
    current: build.id === currentBuildId,
    updated: build.updated,
    entries: build.entries,
    files: Object.fromEntries(
      Object.entries(build.files).map(([kind, { sizeBytes, checksums }]) => [
        kind,
        { size_bytes: sizeBytes, checksums },
      ]),
    ),
    created: build.created.toISOString(),
    published: build.published?.toISOString() ?? null,
    withdrawn: build.withdrawn?.toISOString() ?? null,
    withdrawn_reason: build.withdrawnReason ?? null,
  };
}

export function publishedToWire({
  build,
  isUnchanged,
  removed,
  notes,
}: {
  build: Build;
  isUnchanged: boolean;
  removed: readonly BuildSummary[];
  notes: string[];
}): PublishedBuild {
  return {
    build_id: build.id,
    ...buildToWire(build, build.id),
    unchanged: isUnchanged,
    removed_build_ids: removed.map(({ id }) => id),
    notes,
  };
}
