import { createTransport } from "nodemailer";
import type { Mailer } from "../../domain/accounts/mails.ts";

export interface MailOptions {
  smtpUrl: string;
  /** The sender, like `Depot <noreply@example.com>`. */
  from: string;
}

/** A mail server that does not respond must not block an invitation for minutes. */
const TIMEOUT_MS = 10_000;

export function openMailer({ smtpUrl, from }: MailOptions, onFailure: (error: unknown) => void): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  return {
    async send({ to, replyTo, subject, text }) {
      try {
        // Passed as objects, so that an address is never parsed as a list of addresses.
        const reply = replyTo !== undefined && { replyTo: { name: "", address: replyTo } };
        await transport.sendMail({ from, to: { name: "", address: to }, ...reply, subject, text });
        return true;
      } catch (error) {
        onFailure(error);
        return false;
      }
    },
    close: () => transport.close(),
  };
}
