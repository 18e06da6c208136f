import { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import type { Mailer } from "../../domain/accounts/mails.ts";
import type { OutgoingMail, Submission } from "../../domain/notices/outgoing-mail.ts";

export interface MailOptions {
  smtpUrl: string;
  /** The sender, like `Depot <noreply@example.com>`. */
  from: string;
  /** The lines at the end of every e-mail. */
  signature: readonly string[];
}

/** A mail server that does not respond must not block an invitation for minutes. */
const TIMEOUT_MS = 10_000;
/** E-mails of the outbox are not urgent, and a slow answer is better than none: without it, the result is unknown. */
const SUBMIT_TIMEOUT_MS = 60_000;

/** Errors of the mail server, as nodemailer describes them. */
interface SmtpError extends Error {
  command?: string;
  responseCode?: number;
}

export interface OutboxMailer extends Mailer {
  /** Sends an e-mail of the outbox, and reports what is known about the result. Never throws. */
  submit(mail: Omit<OutgoingMail, "accountId">): Promise<Submission>;
}

export function openMailer(
  { smtpUrl, from, signature }: MailOptions,
  onFailure: (error: unknown) => void,
): OutboxMailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS };
  const ending = `\n${signature.join("\n")}\n`;
  const transport = createTransport({ url: smtpUrl, ...timeouts, socketTimeout: TIMEOUT_MS });
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
    async submit({ id, to, subject, text, html, unsubscribeUrl, created }) {
      let isContentSent = false;
      const own = createTransport({ url: smtpUrl, ...timeouts, socketTimeout: SUBMIT_TIMEOUT_MS });
      // The transport reads the content only after the mail server has accepted the sender and the recipient.
      own.use("stream", ({ message }, done) => {
        const content = message.createReadStream.bind(message);
        message.createReadStream = () =>
          Readable.from(
            (async function* () {
              isContentSent = true;
              yield* content();
            })(),
          );
        done();
      });
      try {
        await own.sendMail({
          from,
          to: { name: "", address: to },
          subject,
          text: text + ending,
          html,
          date: created,
          messageId: `<${id}@${domainOf(from)}>`,
          headers: {
            "List-Unsubscribe": `<${unsubscribeUrl}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
          },
        });
        return { outcome: "accepted" };
      } catch (error) {
        return submissionOf(error as SmtpError, isContentSent);
      }
    },
    close: () => transport.close(),
  };
}

/** A reply to the content is certain. Any other end after the content was sent is not. */
function submissionOf(
  { command = "", responseCode = 0, message: error }: SmtpError,
  isContentSent: boolean,
): Submission {
  const isReply = responseCode >= 400 && command === "DATA";
  if (isContentSent && !isReply) return { outcome: "unknown", error };
  const isRefused = responseCode >= 500 && (command === "DATA" || command === "RCPT TO");
  return { outcome: isRefused ? "refused" : "deferred", error };
}

function domainOf(from: string): string {
  return /@([a-z0-9.-]+)/i.exec(from)?.[1] ?? "localhost";
}
