const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

/** An RFC 3339 date-time, or a date for its first instant in UTC. Undefined when it is neither. */
export function parseTime(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  // Date takes February 30th for March 2nd.
  const day = Number(match[3]);
  if (day < 1 || day > daysInMonth(Number(match[1]), Number(match[2]))) return undefined;
  const time = new Date(text.replace(" ", "T"));
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function daysInMonth(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
