import { newId } from "../primitives/ids.ts";
import type { Operation } from "../store.ts";
import type { Action } from "./entry.ts";
import type { AuditStore } from "./store.ts";

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
