import type { Outcome } from "@dbdepot/contract/downloads";
import type { Api, Attempt } from "./attempt.ts";

export interface AttemptFilter {
  organizationId?: string;
  keyId?: string;
  outcome?: Outcome;
  api?: Api;
  since?: Date;
  /** Only attempts from before this moment. */
  until?: Date;
  /** Only attempts older than this one, by its id. */
  before?: string;
  limit: number;
}

export interface AttemptStore {
  /** Durable when it returns. An attempt that is there already is left as it is. */
  append(attempts: readonly Attempt[]): Promise<void>;
  /** Newest first. */
  list(filter: AttemptFilter): Promise<Attempt[]>;
  /** Removes at most `limit` attempts from before `time`, and tells how many there were. */
  removeBefore(time: Date, limit: number): Promise<number>;
}
