const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** Parses "500GB", "1.5 TB" or "1000000". Units are powers of 1000. Returns undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)\s?([kmgtp]?b)?$/i.exec(text.trim());
  if (!match) return undefined;
  const power = UNITS.findIndex((unit) => unit.toLowerCase() === (match[2] ?? "B").toLowerCase());
  const bytes = Math.round(Number(match[1]) * 1000 ** power);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Three significant digits: "1.23 GB". */
export function formatSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(power === 0 ? 15 : 3))} ${UNITS[power]}`;
}
