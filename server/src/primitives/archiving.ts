/** The new `archived` time. Undefined keeps the old one, and archiving twice keeps the first. */
export function archivedAt(
  { archived }: { archived: Date | null },
  isArchived: boolean | undefined,
  now: Date,
): Date | null {
  if (isArchived === undefined) return archived;
  return isArchived ? (archived ?? now) : null;
}
