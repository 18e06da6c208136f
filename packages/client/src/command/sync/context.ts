import type { Progress } from "@dbdepot/terminal/progress";
import type { LimitFunction } from "p-limit";
import type { MetadataResult } from "../../api/metadata.ts";
import type { Format, Manifest } from "../../api/wire.gen.ts";
import type { DbdepotClient } from "../../client.ts";
import type { Freshness } from "../../proof/results.ts";
import type { WantedDatabase } from "../config/databases.ts";
import type { Settings } from "../config/settings.ts";
import { fileNameOf } from "../formats.ts";
import type { FileStatus, StatusFile } from "./status.ts";

/** Everything one round of sync needs. */
export interface Round {
  client: DbdepotClient;
  settings: Settings;
  statusFile: StatusFile;
  /** Runs at most `parallel` requests at the same time. */
  limit: LimitFunction;
  progress: Progress;
  signal: AbortSignal;
  /** Downloads even files that are current. */
  isForced: boolean;
  /** Only reports what would be downloaded. */
  isDryRun: boolean;
  /** Databases whose refusal is already in the history, because it is recorded once per run. */
  refusedIds: Set<string>;
  /** Prints details with --verbose. */
  log(message: string): void;
}

/** A build to download, with its verified manifest and statement of freshness if the service signs them. */
export type NewBuild = Extract<MetadataResult, { changed: true }> & {
  manifest?: Manifest | undefined;
  freshness?: Freshness | undefined;
};

/** A file that sync maintains, by its name in the directory. */
export interface TargetFile {
  database: string;
  format: Format;
  file: string;
}

/** A target that exists and is unchanged since sync recorded it. */
export interface IntactFile extends TargetFile {
  recorded: FileStatus;
}

export function targetOf({ id, file }: WantedDatabase, format: Format): TargetFile {
  return { database: id, format, file: file ?? fileNameOf(id, format) };
}
