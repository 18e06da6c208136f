const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses "90s", "15m", "1h" or "2d"; a number without a unit is in seconds. Returns undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text);
  return match ? Number(match[1]) * UNITS_MS[(match[2] ?? "s") as keyof typeof UNITS_MS] : undefined;
}

/** Formats a duration in the largest unit that divides it. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return "0";
  const unit = (["d", "h", "m", "s"] as const).find((candidate) => durationMs % UNITS_MS[candidate] === 0) ?? "ms";
  return `${durationMs / UNITS_MS[unit]}${unit}`;
}
