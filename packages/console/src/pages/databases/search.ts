import type { Database } from "@dbdepot/contract/v2/catalogue";
import type { CurrentBuildMap } from "./api.ts";
import type { Filter } from "./filter.ts";
import { isDownloadable } from "./standing.tsx";

/** Finds each word in the names, ids and summaries, or in the names of columns. */
export function matches(database: Database, builds: CurrentBuildMap | undefined, filter: Filter): boolean {
  if (filter.standing && isDownloadable(database) !== (filter.standing === "available")) return false;
  const text = [textOf(database), ...columnsOf(database, builds)].join(" ").toLowerCase();
  return wordsOf(filter).every((word) => text.includes(word));
}

/** The columns that a search found, if the other texts of the database do not contain the word. */
export function columnsFound(database: Database, builds: CurrentBuildMap | undefined, filter: Filter): string[] {
  const text = textOf(database);
  const words = wordsOf(filter).filter((word) => !text.includes(word));
  const columns = columnsOf(database, builds);
  return columns.filter((column) => words.some((word) => column.toLowerCase().includes(word)));
}

function wordsOf({ q = "" }: Filter): string[] {
  return q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

function textOf({ base, name, summary, versions }: Database): string {
  return [base, name, summary, ...versions.map(({ id }) => id)].join(" ").toLowerCase();
}

/** The names of the columns of all versions. */
function columnsOf({ versions }: Database, builds: CurrentBuildMap | undefined): string[] {
  return [...new Set(versions.flatMap(({ id }) => builds?.get(id)?.columns ?? []))];
}
