import type { Redistribution } from "@dbdepot/contract/catalogue";

/** An organization's grant for a family. It lives for `starts <= now < expires`. */
export interface Licence {
  id: string;
  organizationId: string;
  base: string;
  redistribution: Redistribution;
  starts: Date;
  /** Null: no end. */
  expires: Date | null;
  created: Date;
}

export function isLive(licence: Licence, now: Date): boolean {
  // By number: to compare dates as they are showed up in profiles of the hot path.
  const time = now.getTime();
  const { expires } = licence;
  return (expires === null || time < expires.getTime()) && licence.starts.getTime() <= time;
}

/** Its term is over. A licence that was ended before it began never had a term. */
export function hasEnded(licence: Licence, now: Date): boolean {
  return licence.expires !== null && licence.expires <= now && wasEverHeld(licence);
}

/** False for a licence that was ended before it began: it is as if it had never been granted. */
export function wasEverHeld(licence: Licence): boolean {
  return licence.expires === null || licence.starts < licence.expires;
}
