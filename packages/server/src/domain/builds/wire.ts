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
  retired,
}: {
  build: Build;
  isUnchanged: boolean;
  retired: readonly BuildSummary[];
}): PublishedBuild {
  return {
    build_id: build.id,
    ...buildToWire(build, build.id),
    unchanged: isUnchanged,
    removed_build_ids: retired.map(({ id }) => id),
  };
}
