import { createTransport } from "nodemailer";
import type { Mailer } from "../../domain/accounts/mails.ts";

export interface MailOptions {
  smtpUrl: string;
  /** The sender, like `Depot <noreply@example.com>`. */
  from: string;
  /** The lines at the end of every e-mail. */
  signature: readonly string[];
}

/** A mail server that does not respond must not block an invitation for minutes. */
const TIMEOUT_MS = 10_000;

export function openMailer({ smtpUrl, from, signature }: MailOptions, onFailure: (error: unknown) => void): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const ending = `\n${signature.join("\n")}\n`;
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  return {
    async send({ to, replyTo, subject, text }) {
      try {
        // Passed as objects, so that an address is never parsed as a list of addresses.
        const reply = replyTo !== undefined && { replyTo: { name: "", address: replyTo } };
        await transport.sendMail({ from, to: { name: "", address: to }, ...reply, subject, text: text + ending });
        return true;
      } catch (error) {
        onFailure(error);
        return false;
      }
    },
    close: () => transport.close(),
  };
}
