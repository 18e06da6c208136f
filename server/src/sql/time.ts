export function toTime(date: Date): string;
export function toTime(date: Date | null): string | null;
export function toTime(date: Date | null): string | null {
  return date === null ? null : written(date.getTime());
}

let lastMs = Number.NaN;
let lastTime = "";

/** Many attempts are of the same millisecond: 1.4 µs of each download went into writing it out. */
function written(ms: number): string {
  if (ms !== lastMs) {
    lastTime = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastTime;
}

export function fromTime(time: string): Date;
export function fromTime(time: string | null): Date | null;
export function fromTime(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}
