import type { OperatorFamily, OperatorVersion } from "@dbdepot/contract/operator/catalogue";
import type { Family } from "./family.ts";
import type { Version } from "./version.ts";

export function familyToWire(family: Family): OperatorFamily {
  return {
    base: family.base,
    name: family.name,
    visibility: family.visibility,
    created: family.created.toISOString(),
    archived: family.archived?.toISOString() ?? null,
    open: family.open,
  };
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
    recompress: version.recompress,
    tables: version.tables,
  };
}
