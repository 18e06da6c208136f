import type { AuditEntry } from "./entry.ts";

export interface AuditStore {
  insert(entry: AuditEntry): Promise<void>;
  /** Newest first; of one subject, and only those older than the entry `before` (its id), where given. */
  list(filter: { subject?: string; before?: string; limit: number }): Promise<AuditEntry[]>;
}
