import type { LINK_PURPOSES } from "@dbdepot/contract/console/links";

export type LinkPurpose = (typeof LINK_PURPOSES)[number];

const DAY_MS = 24 * 60 * 60 * 1000;
const LIFETIMES_MS: Record<LinkPurpose, number> = { invitation: 7 * DAY_MS, reset: DAY_MS, sign_in: DAY_MS };

/** A one-time link to the console. Its token is stored as a hash. */
export interface Link {
  accountId: string;
  purpose: LinkPurpose;
  created: Date;
  expires: Date;
}

export function linkEnd(purpose: LinkPurpose, now: Date): Date {
  return new Date(now.getTime() + LIFETIMES_MS[purpose]);
}

/** The token is in the fragment, which browsers never send, so that it reaches no log. */
export function linkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/console/accept#token=${token}`;
}
