import type { Family } from "./family.ts";
import type { Version } from "./version.ts";

export interface FamilyStore {
  insert(family: Family): Promise<void>;
  byBase(base: string): Promise<Family | undefined>;
  /** In order of `base`. */
  list(): Promise<Family[]>;
}

export interface VersionStore {
  insert(version: Version): Promise<void>;
  byId(id: string): Promise<Version | undefined>;
  /** In order of family and number; of one family where it is given. */
  list(base?: string): Promise<Version[]>;
  setCurrentBuild(id: string, buildId: string | null): Promise<void>;
}
