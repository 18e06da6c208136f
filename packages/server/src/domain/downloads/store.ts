import type { OutcomeFilter } from "@dbdepot/contract/v2/downloads";
import type { Consumption } from "../limits/limits.ts";
import type { AddressRows, OldRows } from "../old-rows.ts";
import type { Api, Attempt } from "./attempt.ts";

export interface AttemptFilter {
  id?: string | undefined;
  organizationId?: string | undefined;
  keyId?: string | undefined;
  datasetId?: string | undefined;
  outcome?: OutcomeFilter | undefined;
  api?: Api | undefined;
  sample?: boolean | undefined;
  /** Only queries of tables, or only downloads (default: both). */
  tables?: boolean | undefined;
  since?: Date | undefined;
  /** Limits the list to attempts before this time. */
  until?: Date | undefined;
  /** Limits the list to attempts older than the one with this id. */
  before?: string | undefined;
  limit: number;
}

/** The attempts of one day. */
export interface DayCounts {
  /** The day in UTC, such as 2027-01-31. */
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

/** A file of a build, or a patch to it, that an organization downloaded. */
interface DownloadedFile {
  organizationId: string;
  format: string;
  buildId: string;
  patch: boolean;
}

export interface AttemptStore extends OldRows, AddressRows {
  /** Whether a download of the file counted toward the limits of its organization since then. */
  hasDownload(file: DownloadedFile, since: Date): Promise<boolean>;
  /** Returns what counts for the limits of an organization in a period: granted downloads and the size of their files. */
  consumption(organizationId: string, since: Date, until: Date): Promise<Consumption>;
  /** Durable when it returns. Attempts that are already stored, by their ids, are left unchanged. */
  append(attempts: readonly Attempt[]): Promise<void>;
  /** Fails if attempts cannot be stored. Stores one and removes it in the same transaction, so that it is never seen. */
  probe(): Promise<void>;
  /** Sets the bytes that were sent, by the ids of the attempts. Ids that are not stored are ignored. */
  setSentBytes(sent: readonly (readonly [id: string, bytes: number])[]): Promise<void>;
  /** Newest first. */
  list(filter: AttemptFilter): Promise<Attempt[]>;
  /** Oldest day first; days without attempts are left out. */
  countsByDay(filter: Omit<AttemptFilter, "before" | "limit">): Promise<DayCounts[]>;
  /**
   * Returns which of these builds of a version each customer downloaded last since then, by key, address and format, without
   * duplicates. Counts only downloads with v2, because v1 has no patches.
   */
  lastBuilds(
    datasetId: string,
    buildIds: readonly string[],
    since: Date,
  ): Promise<{ format: string; buildId: string }[]>;
  /** The keys with the most refusals among the `newest` attempts after `since`, most first. */
  refusalsByKey(filter: { since: Date; newest: number; limit: number }): Promise<KeyRefusals[]>;
}

declare module "../store.ts" {
  interface Store {
    /** This is not part of `Tables`: the history has its own commits, with many rows each. */
    attempts: AttemptStore;
  }
}
