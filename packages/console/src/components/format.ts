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

/** Dates with or without a time, but not those within a name. */
const TIMES = /(?<![\w./-])\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z)?(?![\w/-])/g;

/** The text with the server's dates and times as the reader writes them. Midnight in UTC is a date. */
export function withReadableTimes(text: string): string {
  return text.replace(TIMES, (time) =>
    /^[^T]+$|T00:00(:00(\.0+)?)?Z/.test(time)
      ? formatDate(time)
      : new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }),
  );
}

/** "1 key", "2 keys". */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** "+12 %", "−3.4 %", or undefined if nothing changed. */
export function changeInPercent(next: number, before: number): string | undefined {
  if (next === before) return undefined;
  if (before === 0) return "new";
  if (next >= 10 * before) return `${formatCount(Math.round(next / before))} times as many`;
  const percent = ((next - before) / before) * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits);
  return Number(text) === 0 ? "less than 0.1 %" : `${percent < 0 ? "−" : "+"}${text} %`;
}
