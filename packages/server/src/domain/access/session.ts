import { maskKeys } from "./mask.ts";

const HOUR_MS = 60 * 60 * 1000;
const IDLE_MS = 12 * HOUR_MS;
export const SESSION_MAX_MS = 30 * 24 * HOUR_MS;
const SEEN_INTERVAL_MS = 60 * 1000;
const USER_AGENT_MAX_LENGTH = 512;

/** A browser that is signed in. Its token is stored as a hash. */
export interface Session {
  id: string;
  accountId: string;
  created: Date;
  /** Time of the last request, to within a minute. */
  lastSeen: Date;
  address: string;
  userAgent: string;
}

/** Where a session was created from. */
export interface Client {
  address: string;
  userAgent: string | undefined;
}

export function userAgentOf({ userAgent = "" }: Client): string {
  return maskKeys(userAgent).slice(0, USER_AGENT_MAX_LENGTH);
}

/** When the session ends unless it is used again. */
export function sessionEnd({ created, lastSeen }: Session): Date {
  return new Date(Math.min(lastSeen.getTime() + IDLE_MS, created.getTime() + SESSION_MAX_MS));
}

/** Sessions that were last seen or created before these times have ended. */
export function endedBefore(now: Date): { lastSeen: Date; created: Date } {
  return { lastSeen: new Date(now.getTime() - IDLE_MS), created: new Date(now.getTime() - SESSION_MAX_MS) };
}

/** Whether enough time has passed to store `lastSeen` again. Most requests write nothing. */
export function isSeenAgain({ lastSeen }: Session, now: Date): boolean {
  return now.getTime() - lastSeen.getTime() >= SEEN_INTERVAL_MS;
}
