import type { AuditEntry as WireEntry } from "@dbdepot/contract/operator/audit";
import type { AuditEntry } from "./entry.ts";

export function auditEntryToWire(entry: AuditEntry): WireEntry {
  return { ...entry, created: entry.created.toISOString() };
}
