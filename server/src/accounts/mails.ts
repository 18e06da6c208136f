import type { AccountWithOrganization } from "./account.ts";
import type { LinkPurpose } from "./link.ts";

/** The e-mail that carries a one-time link. */
export function linkMail(
  { email, name, organization }: AccountWithOrganization,
  { purpose, expires, link }: { purpose: LinkPurpose; expires: Date; link: string },
): { to: string; subject: string; text: string } {
  const isInvitation = purpose === "invitation";
  const team = organization ? ` for ${organization.name}` : "";
  const subject = isInvitation ? `Your invitation to dbdepot${team}` : "Reset your dbdepot password";
  const request = isInvitation
    ? `You have been invited to the dbdepot console${team}. Open this link to choose a password:`
    : "Open this link to choose a new password for the dbdepot console:";
  const end = `${expires.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const advice = isInvitation
    ? "If you did not expect this invitation, ignore this e-mail."
    : "If you did not ask for this, ignore this e-mail: your password stays the same.";
  const greeting = name === "" ? "Hello," : `Hello ${name},`;
  return {
    to: email,
    subject,
    text: `${greeting}\n\n${request}\n\n${link}\n\nThe link works once, until ${end}. ${advice}\n`,
  };
}
