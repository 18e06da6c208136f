import type { Build, BuildState } from "./build.ts";

export interface BuildStore {
  insert(build: Build): Promise<void>;
  byId(id: string): Promise<Build | undefined>;
  /** Newest first. */
  list(versionId: string): Promise<Build[]>;
  setState(id: string, change: { state: BuildState; published?: Date; withdrawn?: Date }): Promise<void>;
}
