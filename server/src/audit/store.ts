import type { AuditEntry } from "./entry.ts";

export interface AuditStore {
  insert(entry: AuditEntry): Promise<void>;
  /** Newest first: all entries or those of some subjects, and only those older than the entry with the id `before`. */
  list(filter: {
    subjects?: readonly string[] | undefined;
    before?: string | undefined;
    limit: number;
  }): Promise<AuditEntry[]>;
  /** Who published these builds. */
  publishersOf(buildIds: readonly string[]): Promise<Map<string, string>>;
}
