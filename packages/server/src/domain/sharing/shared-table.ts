/** What a file contains: all rows of a build, or the rows that differ from the previous version of the table. */
type SharedContent = "rows" | "changes";

/** A Parquet file. Files of rows belong to a build, files of changes to a version of the table. */
export interface SharedFile {
  id: string;
  versionId: string;
  buildId: string;
  content: SharedContent;
  /** The version of the table that begins with these changes; null for rows. */
  number: number | null;
  objectKey: string;
  sizeBytes: number;
  sha256: string;
  rows: number;
  created: Date;
  /** Since when it is no longer offered. It is removed once all links to it have expired. */
  obsolete: Date | null;
}

/** A column in the schema of a table. */
export interface SharedColumn {
  name: string;
  /** The name of the type in schemas of Delta Lake. */
  type: string;
}

/**
 * One version of the table that is shared for a version of a family. It is added once the files of the version's current build exist. A
 * build has several of them if it became current again.
 */
export interface TableVersion {
  versionId: string;
  /** Counts from 1 without gaps. */
  number: number;
  buildId: string;
  /** The build of the previous version of the table; null for the first one. */
  baseBuildId: string | null;
  columns: SharedColumn[];
  /** Why the changes since the previous version are unknown; null if they are known, or if this is the first one. */
  noChanges: string | null;
  /** The number of files with these changes, which tells whether some were removed. */
  changeFiles: number;
  created: Date;
}

const EXTENSION = ".parquet";

/** Object keys contain the id, so nothing is ever overwritten. */
export function sharedKeyOf({ versionId, buildId, id }: Pick<SharedFile, "versionId" | "buildId" | "id">): string {
  return `${versionId}/${buildId}/${id}${EXTENSION}`;
}

/** The id of the Parquet file that is stored under this key; undefined if it is not one of this version. */
export function sharedIdOf(objectKey: string, versionId: string): string | undefined {
  const [version, , name = "", ...rest] = objectKey.split("/");
  if (version !== versionId || rest.length > 0 || !name.endsWith(EXTENSION)) return undefined;
  return name.slice(0, -EXTENSION.length);
}
