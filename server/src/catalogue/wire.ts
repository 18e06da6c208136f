import type { OperatorFamily, OperatorVersion } from "@dbdepot/contract/operator";
import type { Family } from "./family.ts";
import type { Version } from "./version.ts";

export function familyToWire({ base, name, visibility, created, archived }: Family): OperatorFamily {
  return { base, name, visibility, created: created.toISOString(), archived: archived?.toISOString() ?? null };
}

export function versionToWire(version: Version): OperatorVersion {
  return {
    id: version.id,
    base: version.base,
    version: version.number,
    summary: version.summary,
    formats: version.formats,
    current_build_id: version.currentBuildId,
    created: version.created.toISOString(),
    archived: version.archived?.toISOString() ?? null,
  };
}
