import type { Redistribution } from "@dbdepot/contract/v2/catalogue";

/** An organization's licence for a family. It is live while `starts <= now < expires`. */
export interface Licence {
  id: string;
  organizationId: string;
  base: string;
  redistribution: Redistribution;
  starts: Date;
  /** Null if it has no end. */
  expires: Date | null;
  created: Date;
  /** When the contract renews automatically. Like `noticeDueAt`, it is only a reminder and has no effect. */
  renewsAt: Date | null;
  /** The last time to give notice, so that the contract does not renew. */
  noticeDueAt: Date | null;
  /** Its id in the vendor's other systems, if it has one there. Unique within the organization. */
  externalId: string | null;
  /** The terms that the organization must accept before it can download, like data-licence@2. */
  termsId: string | null;
}

export function isLive(licence: Licence, now: Date): boolean {
  const time = now.getTime();
  const { expires } = licence;
  return (expires === null || time < expires.getTime()) && licence.starts.getTime() <= time;
}

/** Whether its term is over. A licence that was ended before it began never had a term. */
export function hasEnded(licence: Licence, now: Date): boolean {
  return licence.expires !== null && licence.expires <= now && wasEverHeld(licence);
}

/** Whether it has not ended yet, but ends before the given time. */
export function endsBefore(licence: Licence, time: Date, now: Date): boolean {
  return licence.expires !== null && now < licence.expires && licence.expires < time && wasEverHeld(licence);
}

/** False for a licence that was ended before it began: it counts as never granted. */
export function wasEverHeld(licence: Licence): boolean {
  return licence.expires === null || licence.starts < licence.expires;
}
