import type { OutcomeFilter } from "@dbdepot/contract/v2/downloads";
import type { Consumption } from "../limits/limits.ts";
import type { AddressRows, OldRows } from "../retention/store.ts";
import type { Api, Attempt } from "./attempt.ts";

export interface AttemptFilter {
  id?: string | undefined;
  organizationId?: string | undefined;
  keyId?: string | undefined;
  datasetId?: string | undefined;
  outcome?: OutcomeFilter | undefined;
  api?: Api | undefined;
  sample?: boolean | undefined;
  since?: Date | undefined;
  /** Only attempts before this time. */
  until?: Date | undefined;
  /** Only attempts older than the one with this id. */
  before?: string | undefined;
  limit: number;
}

/** The attempts of one day. */
export interface DayUsage {
  /** In UTC, such as 2027-01-31. */
  date: string;
  ok: number;
  refused: number;
  /** Total size of the granted files. */
  bytes: number;
}

/** The refused attempts of one key. */
interface KeyRefusals {
  /** Null if the key was not recognized, or if a person downloaded. */
  keyId: string | null;
  organizationId: string | null;
  refused: number;
  /** Time of the newest one. */
  last: Date;
}

export interface AttemptStore extends OldRows, AddressRows {
  /** What counts for the limits of an organization in a period: granted downloads and the size of their files. */
  consumption(organizationId: string, since: Date, until: Date): Promise<Consumption>;
  /** Durable when it returns. Attempts that are already stored, by their ids, are left unchanged. */
  append(attempts: readonly Attempt[]): Promise<void>;
  /** Sets the bytes that were sent, by the ids of the attempts. Ids that are not stored are ignored. */
  setSentBytes(sent: readonly (readonly [id: string, bytes: number])[]): Promise<void>;
  /** Newest first. */
  list(filter: AttemptFilter): Promise<Attempt[]>;
  /** Oldest day first; days without attempts are left out. */
  usageByDay(filter: Omit<AttemptFilter, "before" | "limit">): Promise<DayUsage[]>;
  /** The keys with the most refusals among the `newest` attempts after `since`, most first. */
  refusalsByKey(filter: { since: Date; newest: number; limit: number }): Promise<KeyRefusals[]>;
}
