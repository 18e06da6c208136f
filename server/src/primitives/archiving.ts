/** The new time of archiving. Undefined leaves it as it is, and archiving twice keeps the first time. */
export function archivedAt(
  { archived }: { archived: Date | null },
  isArchived: boolean | undefined,
  now: Date,
): Date | null {
  if (isArchived === undefined) return archived;
  return isArchived ? (archived ?? now) : null;
}
