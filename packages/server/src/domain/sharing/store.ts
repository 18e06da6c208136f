import type { SharedFile, TableVersion } from "./shared-table.ts";

export interface SharingStore {
  insertFiles(files: readonly SharedFile[]): Promise<void>;
  insertVersion(version: TableVersion): Promise<void>;
  /** The newest version of the table. */
  latest(versionId: string): Promise<TableVersion | undefined>;
  /** All versions of the table, oldest first. */
  versions(versionId: string): Promise<TableVersion[]>;
  /** The files of these builds that are offered, in the order in which they were written. */
  filesOf(buildIds: readonly string[]): Promise<SharedFile[]>;
  /** Which of these files are recorded. */
  existing(ids: readonly string[]): Promise<Set<string>>;
  /** Files that must no longer be offered, because of the state of their builds or because the version no longer has tables. */
  unneeded(): Promise<SharedFile[]>;
  setObsolete(ids: readonly string[], time: Date): Promise<void>;
  obsoleteBefore(time: Date): Promise<SharedFile[]>;
  remove(ids: readonly string[]): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    sharing: SharingStore;
  }
}
