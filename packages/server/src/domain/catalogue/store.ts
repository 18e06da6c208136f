import type { Family } from "./family.ts";
import type { Version } from "./version.ts";

export interface FamilyStore {
  insert(family: Family): Promise<void>;
  byBase(base: string): Promise<Family | undefined>;
  /** Ordered by `base`. */
  list(): Promise<Family[]>;
  update(family: Family): Promise<void>;
}

export interface VersionStore {
  insert(version: Version): Promise<void>;
  byId(id: string): Promise<Version | undefined>;
  /** Ordered by family and number. All families if `base` is undefined. */
  list(base?: string): Promise<Version[]>;
  /** Stores the summary, whether it is archived, whether to recompress and whether it has tables; the rest of a version never changes. */
  update(version: Version): Promise<void>;
  /** The ids of versions that have had a build, even if it was withdrawn. The others are planned. */
  published(): Promise<ReadonlySet<string>>;
  setCurrentBuild(id: string, buildId: string | null): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    families: FamilyStore;
    versions: VersionStore;
  }
}
