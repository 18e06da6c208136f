import type { DecidedRequest, OperatorRequest } from "@dbdepot/contract/operator/requests";

/** Says what was decided, and whether the person who asked knows. */
export function decisionNotice({ state, mail, email }: DecidedRequest): string {
  const decision = state === "granted" ? "The licence has been granted" : "The request has been declined";
  if (mail?.state === "sent") return `${decision}, and ${email} was notified by e-mail.`;
  if (mail?.state === "waiting") {
    return `${decision}. The mail server has not accepted the e-mail to ${email} yet. We will try again for up to three days.`;
  }
  return `${decision}. No e-mail was sent${mail?.error ? ` (${mail.error})` : ""}: ${email} sees it in the console.`;
}

/** Words of customers who want to evaluate a database first. */
const EVALUATION = /\b(evaluat\w*|trial|try|test\w*|pilot)\b/i;

/**
 * The first values of the form, with dates for date inputs: an evaluation if the message asks for one, which ends
 * when the server says, or else a year from today, or from the end of the licence that is about to end.
 */
export function offerFor({ standing, licence_expires, message }: OperatorRequest, now = new Date()) {
  const today = now.toISOString().slice(0, 10);
  const isRenewal = standing === "licensed" && licence_expires !== null;
  if (!isRenewal && EVALUATION.test(message)) {
    return { redistribution: "evaluation", starts: today, expires: "" } as const;
  }
  const starts = isRenewal ? licence_expires.slice(0, 10) : today;
  return { starts, expires: aYearAfter(starts) };
}

function aYearAfter(date: string): string {
  const end = new Date(`${date}T00:00:00Z`);
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  return end.toISOString().slice(0, 10);
}
