import type { AddressRows, OldRows } from "../old-rows.ts";
import type { Action, AuditEntry } from "./entry.ts";

export interface AuditFilter {
  /** Limits the list to entries of these subjects. */
  subjects?: readonly string[] | undefined;
  /** Adds entries about the licences, access requests, keys and legacy keys of these organizations. */
  organizationIds?: readonly string[] | undefined;
  actor?: string | undefined;
  /** An action such as "licence.granted", or all of a noun such as "licence". */
  action?: string | undefined;
  since?: Date | undefined;
  /** Limits the list to entries before this time. */
  until?: Date | undefined;
  /** Limits the list to entries older than the one with this id. */
  before?: string | undefined;
  limit: number;
}

export interface AuditStore extends OldRows, AddressRows {
  insert(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<AuditEntry[]>;
  /** The actor of an action by subject, for actions that happen to a subject once, such as "key.created". */
  actorsOf(action: Action, subjects: readonly string[]): Promise<Map<string, string>>;
}

declare module "../store.ts" {
  interface Tables {
    audit: AuditStore;
  }
}
