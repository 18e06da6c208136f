import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import SMTPTransport from "nodemailer/lib/smtp-transport";
import { QUIET } from "../../domain/backup/quiet.ts";
import type { Mailer, Submission } from "../../domain/mail/outgoing-mail.ts";

export interface MailOptions {
  smtpUrl: string;
  /** The sender, like `Depot <noreply@example.com>`. */
  from: string;
  /** The lines at the end of every e-mail. */
  signature: readonly string[];
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A slow answer is better than none: without it, the result is unknown. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Errors of the mail server, as nodemailer describes them. */
interface SmtpError extends Error {
  command?: string;
  responseCode?: number;
}

export function openMailer(
  { smtpUrl, from, signature }: MailOptions,
  /** Whether nothing may be sent, because this is a copy. */
  isQuiet: () => Promise<boolean>,
): Mailer {
  const timeouts = { connectionTimeout: CONNECT_TIMEOUT_MS, greetingTimeout: CONNECT_TIMEOUT_MS };
  // The transport is used only for its options, because it does not say how far it got before an error.
  const { options } = new SMTPTransport({ url: smtpUrl, ...timeouts, socketTimeout: ANSWER_TIMEOUT_MS });
  const ending = `\n${signature.join("\n")}\n`;
  return {
    async submit({ id, to, replyTo, subject, text, html, unsubscribeUrl, created }) {
      let isContentSent = false;
      try {
        if (await isQuiet()) return { outcome: "deferred", error: QUIET };
        const message = new MailComposer({
          from,
          // Passed as objects, so that an address is never parsed as a list of addresses.
          to: { name: "", address: to },
          ...(replyTo !== undefined && { replyTo: { name: "", address: replyTo } }),
          subject,
          text: text + ending,
          ...(html !== undefined && { html }),
          date: created,
          messageId: `<${id}@${domainOf(from)}>`,
          headers: {
            ...(unsubscribeUrl !== undefined && {
              "List-Unsubscribe": `<${unsubscribeUrl}>`,
              "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            }),
            "Auto-Submitted": "auto-generated",
          },
        }).compile();
        // The connection reads the content only after the mail server has accepted the sender and the recipient.
        const content = async function* () {
          isContentSent = true;
          yield* message.createReadStream();
        };
        await transfer(options, message.getEnvelope(), Readable.from(content()));
        return { outcome: "accepted" };
      } catch (error) {
        return submissionOf(error as SmtpError, isContentSent);
      }
    },
  };
}

/** Sends one message over a connection of its own. */
async function transfer(
  options: SMTPTransport["options"],
  envelope: ReturnType<ReturnType<MailComposer["compile"]>["getEnvelope"]>,
  content: Readable,
): Promise<void> {
  const connection = new SMTPConnection(options);
  const failed = new Promise<never>((_, reject) => {
    connection.once("error", reject);
    connection.once("end", () => reject(new Error("the mail server closed the connection")));
  });
  // It may also fail after the message was accepted.
  failed.catch(() => {});
  const step = (begin: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      failed,
      new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve()))),
    ]);
  try {
    await step((done) => connection.connect(done));
    const { auth } = options;
    if (auth) await step((done) => connection.login(auth, done));
    await step((done) => connection.send(envelope, content, done));
    connection.quit();
  } catch (error) {
    connection.close();
    throw error;
  }
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
