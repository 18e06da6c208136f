import type { Claim } from "../../platform/primitives/claim.ts";
import type { MailKind, OutboxEntry, OutgoingMail, Settled } from "./outgoing-mail.ts";

/** How many e-mails are in the outbox, by state. */
interface OutboxCounts {
  waiting: number;
  /** The mail server refused them, or dbdepot gave up. */
  failed: number;
  /** It is not known whether the mail server accepted them. */
  unknown: number;
}

export interface MailStore {
  insert(mail: OutgoingMail, nextAttempt: Date): Promise<void>;
  byId(id: string): Promise<OutboxEntry | undefined>;
  /** Newest first. */
  list(limit: number): Promise<OutboxEntry[]>;
  counts(): Promise<OutboxCounts>;
  /** Removes those that have not been sent yet: all of them, or those of some kinds. */
  removeWaiting(accountId: string, kinds?: readonly MailKind[]): Promise<void>;

  // The rest is bookkeeping, not a change in the sense of `Store.change`.

  /** The id of the newest e-mail that was written about something. */
  latestAbout(about: string): Promise<string | undefined>;
  /** The ids of e-mails to send now, the longest waiting first. */
  due(now: Date, limit: number): Promise<string[]>;
  /**
   * Marks it as being sent. Undefined if it is not due before `dueBefore` (default: now), or no longer waits, for example
   * because another process sends it.
   */
  begin(id: string, claim: Claim, now: Date, dueBefore?: Date): Promise<OutboxEntry | undefined>;
  /** Extends the claim. Returns false if it has ended. */
  extend(id: string, claim: Claim): Promise<boolean>;
  /** Stores the result of the attempt and ends the claim. */
  settle(id: string, by: string, settled: Settled): Promise<void>;
  /** Removes it, because it is no longer needed. */
  drop(id: string, by: string): Promise<void>;
  /** Marks e-mails that are being sent, but whose claim has expired, as unknown. Returns their ids. */
  abandon(now: Date): Promise<string[]>;
  /** Removes finished e-mails that were written before `time`. */
  removeFinished(time: Date): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    mail: MailStore;
  }
  interface Rules {
    /** Undefined if the server sends no e-mail. */
    mail: MailRules | undefined;
  }
}

interface MailRules {
  /** The name that the vendor gave the service. */
  service: string;
  /** The vendor's address for access requests, if it has one. */
  operatorMail: string | undefined;
}
