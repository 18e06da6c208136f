/** How long the service keeps things, from its settings. 0 keeps them forever. */
export interface RetentionPolicy {
  historyDays: number;
  /** How long IP addresses and user agents are kept, which may be shorter than the rows that contain them. */
  addressDays: number;
  eventDays: number;
  deliveryDays: number;
  auditDays: number;
  builds: BuildLimits;
}

/** Which published builds of a version are kept. A build is removed when every limit that is set allows it. */
export interface BuildLimits {
  /** How many of the newest ones to keep, including the current one. */
  count: number;
  /** How long to keep a build after it was replaced. */
  days: number;
  /** From how many earlier builds patches are made: these are kept until the patches exist. */
  patchBases: number;
  /** How long a download link works: a build is kept as long as its links work. */
  linkTtlSeconds: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Everything from before this time is removed. */
export function oldestKept(days: number, now: Date): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
