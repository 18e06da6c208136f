import { UsageError } from "@dbdepot/terminal/command";
import { requireId, type WantedDatabase } from "../config/databases.ts";
import type { Settings } from "../config/settings.ts";

/** The databases named on the command line, with their settings, or all databases of the settings. */
export function selectDatabases(ids: readonly string[], { databases }: Settings): readonly WantedDatabase[] {
  if (ids.length === 0) {
    if (databases.length > 0) return databases;
    throw new UsageError("no database given: name one, or set DBDEPOT_CLIENT_DATABASES or databases in dbdepot.toml");
  }
  return ids.flatMap((id) => {
    const configured = databases.filter((wanted) => wanted.id === id);
    return configured.length > 0 ? configured : [{ id: validId(id) }];
  });
}

function validId(id: string): string {
  try {
    return requireId(id);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
