export function toTime(date: Date): string;
export function toTime(date: Date | null): string | null;
export function toTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

export function fromTime(time: string): Date;
export function fromTime(time: string | null): Date | null;
export function fromTime(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}
