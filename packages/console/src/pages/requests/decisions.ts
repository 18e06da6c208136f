import type { DecidedRequest, OperatorRequest } from "@dbdepot/contract/operator/requests";

/** Says what was decided, and whether the person who asked knows. */
export function decisionNotice({ state, mailed, email }: DecidedRequest): string {
  const decision = state === "granted" ? "The licence has been granted" : "The request has been declined";
  return mailed
    ? `${decision}, and ${email} was notified by e-mail.`
    : `${decision}. No e-mail was sent: ${email} sees it in the console.`;
}

/** The dates to begin with, for date inputs: a year from today, or from the end of the licence that is about to end. */
export function datesFor({ standing, licence_expires }: OperatorRequest, now = new Date()) {
  const today = now.toISOString().slice(0, 10);
  const starts = standing === "licensed" && licence_expires !== null ? licence_expires.slice(0, 10) : today;
  return { starts, expires: aYearAfter(starts) };
}

function aYearAfter(date: string): string {
  const end = new Date(`${date}T00:00:00Z`);
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  return end.toISOString().slice(0, 10);
}
