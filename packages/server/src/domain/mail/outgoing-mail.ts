import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/primitives/dates.ts";
import type { Store } from "../store.ts";

/**
 * `sending` is stored before the mail server is called. If the process or the connection ends before the mail server has
 * answered, it is unknown whether it accepted the e-mail: it becomes `unknown` and is never sent again.
 */
export type MailState = "waiting" | "sending" | "sent" | "failed" | "unknown";

export type MailKind = "digest" | "invitation" | "reset" | "request" | "decision";

export interface MailContent {
  /** The address for replies (default: the sender). */
  replyTo?: string;
  subject: string;
  text: string;
  html?: string;
  /** The URL at which the mail program can unsubscribe the person with one click (RFC 8058). */
  unsubscribeUrl?: string;
}

/** An e-mail in the outbox. */
export interface OutgoingMail {
  id: string;
  kind: MailKind;
  /** The account that it is removed with, if any. */
  accountId: string | null;
  /** The e-mail address. */
  to: string;
  /** The id of the account or request that caused it, if it is urgent. */
  about: string | null;
  /** Null if a writer makes it for each attempt, because it contains a secret or repeats what is stored elsewhere. */
  content: MailContent | null;
  created: Date;
}

export interface OutboxEntry extends OutgoingMail {
  state: MailState;
  attempts: number;
  /** When to send it; null once it is finished. */
  nextAttempt: Date | null;
  /** When the last attempt began. */
  begun: Date | null;
  /** The last message of the mail server, if it did not accept the e-mail. */
  error: string | null;
}

/** Makes the content of an e-mail before each attempt. Returns undefined if it must not be sent any more. */
export type MailWriter = (mail: OutgoingMail, store: Store, now: Date) => Promise<MailContent | undefined>;

export type MailWriters = Partial<Record<MailKind, MailWriter>>;

/** The result of one attempt to send an e-mail. */
export type Submission =
  | { outcome: "accepted" }
  /** It was not accepted, and may be later. */
  | { outcome: "deferred"; error: string }
  /** The mail server will never accept it. */
  | { outcome: "refused"; error: string }
  /** The connection ended after the e-mail was sent, and before the mail server answered. */
  | { outcome: "unknown"; error: string };

export interface Mailer {
  /** Sends an e-mail, and reports what is known about the result. Never throws. */
  submit(mail: Pick<OutgoingMail, "id" | "to" | "created"> & MailContent): Promise<Submission>;
}

/** Contents are personal data, so they are kept only as long as someone may ask about them. */
export const MAILS_KEPT_DAYS = 7;

/** The process that wrote an urgent e-mail sends it at once. If it ends before, another process begins after this time. */
export const URGENT_MS = MINUTE_MS;

const FIRST_DELAY_MS = 5 * MINUTE_MS;
const GROWTH = 3;
const MAX_DELAY_MS = 6 * HOUR_MS;
const GIVE_UP_MS = 3 * DAY_MS;

export type Settled = Pick<OutboxEntry, "state" | "nextAttempt" | "error">;

/**
 * The state after an attempt. A deferred e-mail is sent again after 5, 15 and 45 minutes, and so on, up to every six hours.
 * dbdepot gives up on it three days after it was written.
 */
export function afterAttempt(
  { created, attempts }: Pick<OutboxEntry, "created" | "attempts">,
  submission: Submission,
  now: Date,
): Settled {
  if (submission.outcome === "accepted") return { state: "sent", nextAttempt: null, error: null };
  const { outcome, error } = submission;
  if (outcome === "unknown") return { state: "unknown", nextAttempt: null, error };
  const next = now.getTime() + Math.min(FIRST_DELAY_MS * GROWTH ** (attempts - 1), MAX_DELAY_MS);
  if (outcome === "refused" || next > created.getTime() + GIVE_UP_MS) {
    return { state: "failed", nextAttempt: null, error };
  }
  return { state: "waiting", nextAttempt: new Date(next), error };
}
