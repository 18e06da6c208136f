import type { ChangeCounts, Outcome } from "./outcome.ts";

/** Two builds of a version, by their ids. */
export interface BuildPair {
  from: string;
  to: string;
}

/** Comparisons of builds that were made. This is bookkeeping, not a change in the sense of `Store.change`. */
export interface ChangeStore {
  /** Undefined until the builds were compared. */
  find(pair: BuildPair): Promise<Outcome | undefined>;
  /** How each of these builds differs from the one it replaced, as far as that is known. */
  counts(buildIds: readonly string[]): Promise<Map<string, ChangeCounts>>;
  /** Replaces the outcome of an earlier comparison. */
  save(pair: BuildPair, outcome: Outcome, now: Date): Promise<void>;
}

declare module "../../store.ts" {
  interface Tables {
    changes: ChangeStore;
  }
}
