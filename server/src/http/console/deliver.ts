import type { InvitedAccount } from "../../accounts/accounts.ts";
import { linkUrl } from "../../accounts/link.ts";
import { linkMail } from "../../accounts/mails.ts";
import type { Services } from "../route.ts";

/** Sends a link by e-mail if a mail server is configured. */
export async function deliver(
  { console }: Services,
  { account, token, purpose, expires }: InvitedAccount,
): Promise<{ link: string; expires: string; mailed: boolean }> {
  const link = linkUrl(console.publicUrl(), token.reveal());
  const mailed = (await console.mailer?.send(linkMail(account, { purpose, expires, link }))) ?? false;
  return { link, expires: expires.toISOString(), mailed };
}
