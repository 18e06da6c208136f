import type { Patch } from "./patch.ts";

export interface PatchStore {
  insert(patch: Patch): Promise<void>;
  /** Dropped patches included, in the order in which they were made. */
  ofBuilds(buildIds: readonly string[]): Promise<Patch[]>;
  /** Patches to builds that were replaced before this time and are not current. */
  supersededBefore(time: Date): Promise<Patch[]>;
  remove(ids: readonly string[]): Promise<void>;
  /** Returns the ids of those patches that exist. */
  existing(ids: readonly string[]): Promise<Set<string>>;
}

declare module "../store.ts" {
  interface Tables {
    patches: PatchStore;
  }
}
