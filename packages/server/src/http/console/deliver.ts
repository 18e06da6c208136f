import type { Account } from "../../domain/access/account.ts";
import { isOperatorRole } from "../../domain/access/roles.ts";
import type { InvitedAccount } from "../../domain/accounts/accounts.ts";
import { linkUrl } from "../../domain/accounts/link.ts";
import { linkMail, takenMail } from "../../domain/accounts/mails.ts";
import type { Services } from "../route.ts";

/**
 * Sends a link by e-mail if a mail server is configured. An admin gets a link that was sent only if they have to pass it on,
 * because they could use it to sign in with an address that is not theirs.
 */
export async function deliver(
  { console }: Services,
  { account, token, purpose, expires, isTaken = false }: InvitedAccount,
  reader?: Account,
): Promise<{ link: string | null; expires: string; mailed: boolean }> {
  const link = linkUrl(console.publicUrl(), token.reveal());
  const mail = isTaken ? takenMail(account) : linkMail(account, { purpose, expires, link });
  const mailed = (await console.mailer?.send(mail)) ?? false;
  const isShown = !mailed || (reader !== undefined && isOperatorRole(reader.role));
  return { link: isShown ? link : null, expires: expires.toISOString(), mailed };
}
