const numbers = new Intl.NumberFormat("en");
const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

export function formatCount(value: number): string {
  return numbers.format(value);
}

/** Three significant digits: 1.23 MB. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${bytes === 1 ? "byte" : UNITS[unit]}`;
}

/** 84 ms, or 1.2 s. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${formatCount(Math.round(ms / 100) / 10)} s`;
}

/** The UTC date of a day such as 2026-11-17 or of a moment, which is the same in every time zone. */
export function formatDate(date: string): string {
  return new Date(date).toLocaleDateString(undefined, { dateStyle: "medium", timeZone: "UTC" });
}

/** The same without the year: 17 Nov. */
export function formatShortDate(date: string): string {
  return new Date(date).toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
}

/** "1 key", "2 keys". */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
