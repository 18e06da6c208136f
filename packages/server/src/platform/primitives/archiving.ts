/** Returns the new `archived` time. Undefined keeps the old one, and archiving twice keeps the first. */
export function archivedAt(
  { archived }: { archived: Date | null },
  isArchived: boolean | undefined,
  now: Date,
): Date | null {
  if (isArchived === undefined) return archived;
  return isArchived ? (archived ?? now) : null;
}

interface Archivable {
  archived: Date | null;
}

/** Returns the action for the audit log. Archiving has its own action, so that it can be found. */
export function archivingAction<Noun extends string>(noun: Noun, before: Archivable, after: Archivable) {
  if (!before.archived && after.archived) return `${noun}.archived` as const;
  if (before.archived && !after.archived) return `${noun}.unarchived` as const;
  return `${noun}.updated` as const;
}
