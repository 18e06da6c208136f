import { UsageError } from "@dbdepot/terminal/command";
import { requireId, type WantedDatabase } from "../config/databases.ts";
import type { Settings } from "../config/settings.ts";

/** The databases that were named on the command line, with what is set for them; or else all that are set. */
export function wantedDatabases(ids: readonly string[], { databases }: Settings): readonly WantedDatabase[] {
  if (ids.length === 0) {
    if (databases.length > 0) return databases;
    throw new UsageError("no database is named: give an ID, set DBDEPOT_DATABASES, or databases in dbdepot.toml");
  }
  return ids.flatMap((id) => {
    const set = databases.filter((wanted) => wanted.id === id);
    return set.length > 0 ? set : [{ id: checked(id) }];
  });
}

function checked(id: string): string {
  try {
    return requireId(id);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
