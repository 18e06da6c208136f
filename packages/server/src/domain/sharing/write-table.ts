import { extname } from "node:path";
import type { Column } from "@dbdepot/contract/v2/metadata";
import type { Strategy } from "@dbdepot/formats/changes/compare";
import { runInThread, type ThreadLimits } from "../../platform/runtime/limited-thread.ts";
import type { WrittenFile } from "./parquet-writer.ts";
import type { SharedColumn } from "./shared-table.ts";

/** The files of one table, all of them local. */
export interface TableWork {
  /** The csv.gz. */
  path: string;
  /** The csv.gz to compare with, to write the changes since then instead of all rows. */
  base?: { path: string; key: string[]; strategy: Strategy } | undefined;
  /** The columns in the metadata document. */
  columns: readonly Column[];
  /** Where the files are written. */
  directory: string;
  maxFileBytes: number;
  metadata: Readonly<Record<string, string>>;
}

interface WrittenTable {
  files: WrittenFile[];
  columns: SharedColumn[];
}

/** `fault` says why the CSV cannot be written as a table. */
export type FromTableWorker = WrittenTable | { fault: string };

export type WriteTable = (work: TableWork, limits: ThreadLimits, signal: AbortSignal) => Promise<WrittenTable>;

/** Fails if the CSV cannot be written, or if that exceeds the limits. The message says why. */
export const writeTableInThread: WriteTable = async (work, limits, signal) => {
  const script = new URL(`./table-worker${extname(import.meta.url)}`, import.meta.url);
  const written = await runInThread<FromTableWorker>(script, work, limits, signal);
  if ("exceeded" in written) throw new Error(`writing the Parquet files takes more than ${written.exceeded}`);
  if ("fault" in written) throw new Error(written.fault);
  return written;
};
