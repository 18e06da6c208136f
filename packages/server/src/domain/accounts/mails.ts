import { type Account, type AccountWithOrganization, isUsable } from "../access/account.ts";
import type { MailContent, MailWriter } from "../mail/outgoing-mail.ts";
import { writeUrgent } from "../mail/write.ts";
import type { Operation, Tables } from "../store.ts";
import { LINK_MAILS, type LinkPurpose, linkUrl } from "./link.ts";
import { insertLink } from "./links.ts";

/**
 * Writes the e-mail with a link to the outbox, instead of one that waits there. Call it in the transaction that issues the
 * link. The e-mail gets a link of its own, because no secret may be stored in the outbox.
 */
export async function mailLink(
  tables: Tables,
  operation: Operation,
  { id, email }: Account,
  kind: (typeof LINK_MAILS)[number],
): Promise<void> {
  await tables.mail.removeWaiting(id, LINK_MAILS);
  await writeUrgent(tables, operation, { kind, accountId: id, to: email, about: id });
}

/** Issues the link of an e-mail. The link of an earlier attempt to send the e-mail stops working. */
export function linkWriter(purpose: LinkPurpose, publicUrl: () => string, service: string): MailWriter {
  return ({ id: mailId, accountId }, store, now) =>
    store.change(async (tables) => {
      await tables.links.removeOfMail(mailId);
      const account = await tables.accounts.byId(accountId ?? "");
      if (!account || !isUsable(account)) return undefined;
      const { token, expires } = await insertLink(tables, { now }, account, purpose, { keepsEarlier: true, mailId });
      const link = linkUrl(publicUrl(), token.reveal());
      return linkMail(account, { purpose, expires, link, service });
    });
}

/** The e-mail that carries a one-time link. `service` is the name that the vendor gave the service. The e-mail contains no text by the inviter, who may be a stranger. */
function linkMail(
  { organization }: AccountWithOrganization,
  { purpose, expires, link, service }: { purpose: LinkPurpose; expires: Date; link: string; service: string },
): MailContent {
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
    subject,
    text: `Hello,\n\n${request}\n\n${link}\n\nThe link works once, until ${end}. ${advice}\n`,
  };
}

/** The e-mail to a person who was invited, but has an account elsewhere. */
export function takenMail({ organization }: AccountWithOrganization, service: string): MailContent {
  const invited = `You have been invited to the ${service} console${teamOf(organization)}.`;
  const problem = "Your e-mail address already has an account, and an address can have only one.";
  const advice =
    "To move your account, ask the vendor who runs the service. If you did not expect this invitation, ignore it.";
  return {
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
