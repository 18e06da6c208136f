import type { OutboxEntry, OutgoingMail, Settled } from "./outgoing-mail.ts";
import type { DuePerson, Recipient } from "./recipient.ts";

/** How many e-mails are in the outbox, by state. */
export interface OutboxCounts {
  waiting: number;
  /** The mail server refused them, or dbdepot gave up. */
  failed: number;
  /** It is not known whether the mail server accepted them. */
  unknown: number;
}

export interface NoticeStore {
  recipient(accountId: string): Promise<Recipient | undefined>;
  recipientByToken(token: string): Promise<Recipient | undefined>;
  /** Inserts or updates it. */
  saveRecipient(recipient: Recipient): Promise<void>;
  /**
   * People with a role that is notified, who can sign in, and whose last digest, or else the creation of their account, is
   * older than `before`.
   */
  due(before: Date, limit: number): Promise<DuePerson[]>;

  insertMail(mail: OutgoingMail): Promise<void>;
  /** Newest first. */
  mails(limit: number): Promise<OutboxEntry[]>;
  counts(): Promise<OutboxCounts>;
  /** Removes those that have not been sent yet. */
  removeWaiting(accountId: string): Promise<void>;

  // The rest is bookkeeping, not a change in the sense of `Store.change`.

  /** The ids of e-mails to send now, the longest waiting first. */
  mailsDue(now: Date, limit: number): Promise<string[]>;
  /** Marks it as being sent. Undefined if it is no longer due, for example because another process sends it. */
  begin(id: string, now: Date): Promise<OutboxEntry | undefined>;
  /** Stores the result of the attempt. */
  settle(id: string, settled: Settled): Promise<void>;
  /** Marks e-mails whose attempt began before `time` and never ended as unknown. Returns their ids. */
  abandon(time: Date): Promise<string[]>;
  /** Removes finished e-mails that were written before `time`. */
  removeFinished(time: Date): Promise<void>;
}
