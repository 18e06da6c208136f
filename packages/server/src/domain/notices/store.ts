import type { DuePerson, Recipient } from "./recipient.ts";

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
}

declare module "../store.ts" {
  interface Tables {
    notices: NoticeStore;
  }
}
