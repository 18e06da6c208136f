import type { AccountWithOrganization } from "../access/account.ts";
import type { LinkPurpose } from "./link.ts";

export interface Mail {
  to: string;
  /** The address for replies (default: the sender). */
  replyTo?: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Resolves with whether the mail server accepted it. Reports a failure instead of throwing it. */
  send(mail: Mail): Promise<boolean>;
  close(): void;
}

/** The e-mail that carries a one-time link. `service` is the name that the vendor gave the service. The e-mail contains no text by the inviter, who may be a stranger. */
export function linkMail(
  { email, organization }: AccountWithOrganization,
  { purpose, expires, link, service }: { purpose: LinkPurpose; expires: Date; link: string; service: string },
): Mail {
  const isInvitation = purpose === "invitation";
  const subject = isInvitation ? invitationSubject(service, organization) : `Reset your ${service} password`;
  const request = isInvitation
    ? `You have been invited to the ${service} console${teamOf(organization)}. Open this link to choose a password:`
    : `Open this link to choose a new password for the ${service} console:`;
  const end = `${expires.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const advice = isInvitation
    ? "If you did not expect this invitation, ignore this e-mail."
    : "If you did not ask for this, ignore this e-mail: your password stays the same.";
  return {
    to: email,
    subject,
    text: `Hello,\n\n${request}\n\n${link}\n\nThe link works once, until ${end}. ${advice}\n`,
  };
}

/** The e-mail to a person who was invited, but has an account elsewhere. */
export function takenMail({ email, organization }: AccountWithOrganization, service: string): Mail {
  const invited = `You have been invited to the ${service} console${teamOf(organization)}.`;
  const problem = "Your e-mail address already has an account, and an address can have only one.";
  const advice =
    "To move your account, ask the vendor who runs the service. If you did not expect this invitation, ignore it.";
  return {
    to: email,
    subject: invitationSubject(service, organization),
    text: `Hello,\n\n${invited} ${problem}\n\n${advice}\n`,
  };
}

type Team = AccountWithOrganization["organization"];

function invitationSubject(service: string, team: Team): string {
  return `Your invitation to ${service}${teamOf(team)}`;
}

/** Only operators name organizations. */
function teamOf(team: Team): string {
  return team ? ` for ${team.name}` : "";
}
