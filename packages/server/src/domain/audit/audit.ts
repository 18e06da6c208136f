import { newId } from "../../platform/primitives/ids.ts";
import type { Operation } from "../store.ts";
import type { Action } from "./entry.ts";
import type { AuditStore } from "./store.ts";

/** Adds an audit entry. Call it in the transaction of the change, so that neither exists without the other. */
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
