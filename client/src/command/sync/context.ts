import type { Progress } from "@dbdepot/terminal/progress";
import type { DbdepotClient, MetadataAnswer } from "../../client.ts";
import type { Format } from "../../wire.ts";
import type { WantedDatabase } from "../config/databases.ts";
import type { Settings } from "../config/settings.ts";
import { fileNameOf } from "../formats.ts";
import type { FileStatus, StatusBook } from "./status.ts";
import type { Turns } from "./turns.ts";

/** What a round works with. */
export interface Round {
  client: DbdepotClient;
  settings: Settings;
  book: StatusBook;
  turns: Turns;
  progress: Progress;
  signal: AbortSignal;
  /** Fetches also what seems to be there. */
  isForced: boolean;
}

/** The news about a build. */
export type News = Extract<MetadataAnswer, { changed: true }>;

/** Where a file of a database goes: its name in the directory. */
export interface Place {
  database: string;
  format: Format;
  file: string;
}

/** A file that is there, as it was written down. */
export interface Held extends Place {
  known: FileStatus;
}

export function placeOf({ id, file }: WantedDatabase, format: Format): Place {
  return { database: id, format, file: file ?? fileNameOf(id, format) };
}
