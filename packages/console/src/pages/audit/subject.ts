import type { AuditEntry } from "@dbdepot/contract/operator/audit";

/** Describes what was changed by its name if the entry contains one, otherwise by its id. */
export function describeSubject(
  { action, actor, subject, before, after }: AuditEntry,
  organizationName: (id: string) => string,
): string {
  const state = { ...fieldsOf(before), ...fieldsOf(after) };
  // Written by earlier versions.
  if (action === "licence.requested") return `${state.base}, ${organizationName(subject)}`;
  if (action === "terms.accepted") return `${state.termsId}, ${organizationName(subject)}`;
  if (action === "terms.added") return subject;
  if (action.startsWith("licence.") || action.startsWith("access_request."))
    return `${state.base}, ${organizationName(String(state.organizationId))}`;
  if (action.startsWith("build.")) return String(state.version_id ?? subject);
  // People sign in and change their password themselves.
  const self = action.startsWith("account.") && actor.startsWith("account:") ? actor.slice("account:".length) : subject;
  // People may have no name yet.
  return String(state.name || state.email || state.url || self);
}

function fieldsOf(state: unknown): Record<string, unknown> {
  return typeof state === "object" && state !== null ? (state as Record<string, unknown>) : {};
}
