const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function formatBytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10));
  return `${(count / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

/** "2026-11-17 09:01:30Z", which every option for a time accepts. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** The day in UTC, like "2026-11-17". */
export function formatDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function formatRows(count: number): string {
  return `${Math.round(count)} rows`;
}

export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}
