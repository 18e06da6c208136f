import { UsageError } from "@dbdepot/terminal/command";
import type { Database } from "../../api/wire.gen.ts";
import { requireId, type WantedDatabase } from "../config/databases.ts";
import type { Settings } from "../config/settings.ts";
import { isDownloadable } from "../downloadable.ts";

/**
 * The databases named on the command line, with their settings, or all databases of the settings. `advice` says how to
 * name databases on the command line.
 */
export function selectDatabases(
  ids: readonly string[],
  { databases }: Settings,
  advice = "pass an id",
): readonly WantedDatabase[] {
  if (ids.length === 0) {
    if (databases.length > 0) return databases;
    throw new UsageError(`no database given: ${advice}, or set DBDEPOT_CLIENT_DATABASES or databases in dbdepot.toml`);
  }
  return [...new Set(ids)].flatMap((id) => {
    const configured = databases.filter((wanted) => wanted.id === id);
    return configured.length > 0 ? configured : [{ id: validId(id) }];
  });
}

/** Every database that can be downloaded, with its settings, in the configured formats that it has. */
export function licensedDatabases(families: readonly Database[], settings: Settings): WantedDatabase[] {
  const versions = families.filter(isDownloadable).flatMap((family) => family.versions);
  return versions.flatMap(({ id, formats: available }) => {
    const configured = settings.databases.filter((wanted) => wanted.id === id);
    if (configured.length > 0) return configured;
    if (!settings.formats) return [{ id, isFromCatalogue: true }];
    const formats = settings.formats.filter((format) => available.includes(format));
    return formats.length > 0 ? [{ id, formats, isFromCatalogue: true }] : [];
  });
}

function validId(id: string): string {
  try {
    return requireId(id);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
