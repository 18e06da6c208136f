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

/** A page of an organization's history, newest first. */
export interface HistoryQuery {
  organizationId: string;
  /** Only attempts older than this one, by its id. */
  before?: string | undefined;
  limit: number;
}

/** As customers get it: put together where the rows are read, it takes a third of the main thread's time that objects took. */
export interface HistoryPage {
  /** The attempts in JSON, as wire.ts has them, one behind the other with commas between. */
  json: string;
  /** The last one's id, where there are older ones. */
  next: string | undefined;
}

export interface AttemptStore {
  /** Durable when it returns. An attempt that is there already is left as it is. */
  append(attempts: readonly Attempt[]): Promise<void>;
  /** Newest first. */
  list(filter: AttemptFilter): Promise<Attempt[]>;
  page(query: HistoryQuery): Promise<HistoryPage>;
  /** Removes at most `limit` attempts from before `time`, and tells how many there were. */
  removeBefore(time: Date, limit: number): Promise<number>;
}
