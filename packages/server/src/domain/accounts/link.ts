import type { LINK_PURPOSES } from "@dbdepot/contract/console/links";
import { DAY_MS } from "../../platform/primitives/dates.ts";

export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** The kinds of e-mail that contain a link. */
export const LINK_MAILS = ["invitation", "reset"] as const;

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
