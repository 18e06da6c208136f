import type { NoticeTopic } from "@dbdepot/contract/console/notices";
import { DAY_MS, HOUR_MS } from "../../platform/primitives/dates.ts";
import type { AccountWithOrganization } from "../access/account.ts";
import { Token } from "../access/token.ts";
import type { EventPosition } from "../events/event.ts";

/** A person as the daily digest knows them. The row is created when it is first needed. */
export interface Recipient {
  accountId: string;
  /** Topics that the person has turned off. */
  off: readonly NoticeTopic[];
  /**
   * Part of the links in e-mails that change the choices without signing in. It is stored in plain text, because every
   * e-mail contains it and it allows nothing else.
   */
  token: string;
  /** When the person's news were last collected, whether there were any or not. */
  digested: Date | null;
  /** The last event that was considered. */
  position: EventPosition | null;
}

/** A person whose digest is due. */
export interface DuePerson {
  account: AccountWithOrganization;
  /** Undefined if the person was never considered before. */
  recipient: Recipient | undefined;
}

export function newRecipient(accountId: string): Recipient {
  return { accountId, off: [], token: Token.generate().reveal(), digested: null, position: null };
}

/**
 * A digest is due for everyone whose last one is older than this: at the hour of the day, in UTC, or later if the server
 * did not run then, but only once on each day.
 */
export function digestsDueBefore(now: Date, hour: number): Date {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const slot = today + hour * HOUR_MS;
  return new Date(now.getTime() < slot ? slot - DAY_MS : today);
}
