import { createTransport } from "nodemailer";
import type { MailSettings } from "../../settings/settings.ts";

interface Mail {
  to: string;
  /** Who gets the replies (default: the sender). */
  replyTo?: string;
  subject: string;
  text: string;
}

export interface Mailer {
  /** Resolves with whether the mail server accepted it. Reports a failure instead of throwing it. */
  send(mail: Mail): Promise<boolean>;
  close(): void;
}

/** A mail server that does not respond must not block an invitation for minutes. */
const TIMEOUT_MS = 10_000;

export function openMailer({ smtpUrl, from }: MailSettings, onFailure: (error: unknown) => void): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  return {
    async send({ to, replyTo, subject, text }) {
      try {
        // Objects, so that an address is never parsed as a list of addresses.
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
