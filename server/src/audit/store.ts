import type { AuditEntry } from "./audit.ts";

export interface AuditStore {
  insert(entry: AuditEntry): Promise<void>;
  /** Newest first; of one subject where it is given. */
  list(filter: { subject?: string; limit: number }): Promise<AuditEntry[]>;
}
