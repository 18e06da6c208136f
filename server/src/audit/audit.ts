import { newId } from "../ids.ts";
import type { Operation } from "../store.ts";
import type { AuditStore } from "./store.ts";

export type Action =
  | "organization.added"
  | "family.added"
  | "version.added"
  | "build.published"
  | "build.withdrawn"
  | "build.rolled_back"
  | "licence.granted"
  | "licence.renewed"
  | "licence.ended"
  | "key.created"
  | "key.rotated"
  | "key.revoked"
  | "key.updated"
  | "legacy_key.created"
  | "legacy_key.revoked";

/** What an operator did: who, what, when, and how the subject looked before and after. */
export interface AuditEntry {
  id: string;
  actor: string;
  action: Action;
  /** The id of what was changed. */
  subject: string;
  before: unknown;
  after: unknown;
  created: Date;
}

/** To be called in the change's own transaction: no change without its entry, no entry without its change. */
export async function record(
  tables: { audit: AuditStore },
  operation: Operation,
  deed: { action: Action; subject: string; before?: unknown; after: unknown },
): Promise<void> {
  await tables.audit.insert({
    id: newId(operation.now),
    actor: operation.actor,
    action: deed.action,
    subject: deed.subject,
    before: deed.before ?? null,
    after: deed.after,
    created: operation.now,
  });
}
