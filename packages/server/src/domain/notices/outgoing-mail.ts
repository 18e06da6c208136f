const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * `sending` is stored before the mail server is called. If the process or the connection ends before the mail server has
 * answered, it is unknown whether it accepted the e-mail: it becomes `unknown` and is never sent again.
 */
export type MailState = "waiting" | "sending" | "sent" | "failed" | "unknown";

/** An e-mail in the outbox. */
export interface OutgoingMail {
  id: string;
  accountId: string;
  /** The e-mail address. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Where the mail program can unsubscribe the person with one click (RFC 8058). */
  unsubscribeUrl: string;
  created: Date;
}

export interface OutboxEntry extends OutgoingMail {
  state: MailState;
  attempts: number;
  /** When to send it; null once it is finished. */
  nextAttempt: Date | null;
  /** When the last attempt began. */
  begun: Date | null;
  /** What the mail server said last, if it was not accepted. */
  error: string | null;
}

/** What became of one attempt to send an e-mail. */
export type Submission =
  | { outcome: "accepted" }
  /** It was not accepted, and may be later. */
  | { outcome: "deferred"; error: string }
  /** The mail server will never accept it. */
  | { outcome: "refused"; error: string }
  /** The connection ended after the e-mail was sent, and before the mail server answered. */
  | { outcome: "unknown"; error: string };

/** Contents are personal data, so they are kept only as long as someone may ask about them. */
export const MAILS_KEPT_DAYS = 7;

const FIRST_DELAY_MS = 5 * MINUTE_MS;
const GROWTH = 3;
const MAX_DELAY_MS = 6 * HOUR_MS;
const GIVE_UP_MS = 3 * DAY_MS;

/** An attempt takes less time, so one that began earlier was interrupted. */
export const ATTEMPT_MAX_MS = 15 * MINUTE_MS;

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
