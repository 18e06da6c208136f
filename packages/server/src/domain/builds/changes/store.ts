import type { Claim } from "../../../platform/primitives/claim.ts";
import type { ChangeCounts, Outcome } from "./outcome.ts";

/** Two builds of a version, by their ids. */
export interface BuildPair {
  from: string;
  to: string;
}

/** Comparisons of builds: those to make and those that were made. This is bookkeeping, not a change in the sense of `Store.change`. */
export interface ChangeStore {
  /** Does nothing if the pair was requested before. */
  request(pair: BuildPair, now: Date): Promise<void>;
  /** Undefined until the builds were compared. */
  find(pair: BuildPair): Promise<Outcome | undefined>;
  /** How each of these builds differs from the one it replaced, as far as that is known. */
  counts(buildIds: readonly string[]): Promise<Map<string, ChangeCounts>>;
  /** Claims the newest pair that no process compares. Undefined if there is none. */
  claim(claim: Claim, now: Date): Promise<(BuildPair & { attempts: number }) | undefined>;
  /** Returns false if the claim has ended. */
  extend(pair: BuildPair, claim: Claim): Promise<boolean>;
  /** Ends the claim as if it had not been made, so that another process can continue at once. */
  release(pair: BuildPair, by: string): Promise<void>;
  finish(pair: BuildPair, by: string, outcome: Outcome): Promise<void>;
}
