import { writeFile } from "node:fs/promises";
import { NOTICE_TOPICS } from "@dbdepot/contract/console/notices";
import { Argument, type Command, examples } from "@dbdepot/terminal/command";
import { formatTime } from "@dbdepot/terminal/format";
import { integer } from "@dbdepot/terminal/values";
import { Token } from "../domain/access/token.ts";
import { requireEmail } from "../domain/accounts/person.ts";
import { digestMail } from "../domain/notices/digest.ts";
import { sampleDigest } from "../domain/notices/sample.ts";
import { conflict } from "../platform/primitives/faults.ts";
import { newId } from "../platform/primitives/ids.ts";
import type { Settings } from "../settings/settings.ts";
import type { Run } from "./context.ts";

const MAILS_SHOWN = 50;
const MAILS_MAX = 10_000;

export function addMailCommands(program: Command, run: Run): void {
  const mail = program
    .command("mail")
    .description("Preview notifications by e-mail, test the mail server, list the outbox");

  mail
    .command("preview")
    .description("Print a notification with example data, without sending it")
    .addArgument(new Argument("[topic]", "show only this topic (default: all)").choices(NOTICE_TOPICS))
    .option("--html <file>", "file to write the HTML version to, for a browser")
    .addHelpText(
      "after",
      examples("dbdepot-server mail preview", "dbdepot-server mail preview licences --html preview.html"),
    )
    .action(
      run(async ({ settings }, topic, { html: file }) => {
        const { subject, text, html } = sampleMail(settings, topic);
        const { mail } = settings;
        if (file !== undefined) await writeFile(file, html);
        const signature = mail ? `\n${mail.signature.join("\n")}\n` : "";
        return {
          json: { subject, text: text + signature, html },
          text: file === undefined ? `Subject: ${subject}\n\n${text}${signature}` : `Wrote ${file}.\n`,
        };
      }),
    );

  mail
    .command("test")
    .description("Send a notification with example data to an address, and print the mail server's response")
    .argument("<address>", "e-mail address")
    .addHelpText("after", examples("dbdepot-server mail test you@example.com"))
    .action(
      run(async ({ settings, clock }, address) => {
        if (!settings.mail) throw conflict("no mail server is set: set DBDEPOT_SMTP_URL and DBDEPOT_MAIL_FROM first");
        const to = requireEmail(address);
        // Imported on demand, because few commands send e-mail.
        const { openMailer } = await import("../adapters/mail/mailer.ts");
        const mailer = openMailer(settings.mail, () => {});
        const now = clock();
        const { subject, ...content } = sampleMail(settings);
        const sent = { ...content, id: newId(now), to, subject: `Test: ${subject}`, created: now };
        const submission = await mailer.submit(sent);
        mailer.close();
        const isAccepted = submission.outcome === "accepted";
        return {
          json: { to, ...submission },
          text: isAccepted
            ? `The mail server accepted the e-mail to ${to}.\n`
            : `The mail server did not accept the e-mail to ${to}: ${submission.error}\n`,
          exitCode: isAccepted ? 0 : 1,
        };
      }),
    );

  mail
    .command("list")
    .description("List the notifications in the outbox, newest first, without their contents")
    .option("--limit <n>", `number of e-mails (default: ${MAILS_SHOWN})`, integer(1, MAILS_MAX))
    .action(
      run(async ({ output, store: openStore }, { limit = MAILS_SHOWN }) => {
        const store = await openStore();
        const found = await store.notices.mails(limit);
        return {
          json: found.map(({ id, to, subject, state, attempts, created, nextAttempt, error }) => ({
            id,
            to,
            subject,
            state,
            attempts,
            created: created.toISOString(),
            next_attempt: nextAttempt?.toISOString() ?? null,
            error,
          })),
          text: output.table(
            ["WRITTEN", "TO", "STATE", "ATTEMPTS", "NEXT ATTEMPT", "SUBJECT", "ERROR"],
            found.map(({ to, subject, state, attempts, created, nextAttempt, error }) => [
              formatTime(created),
              to,
              state,
              String(attempts),
              nextAttempt ? formatTime(nextAttempt) : undefined,
              subject,
              error ?? undefined,
            ]),
            "The outbox is empty.",
          ),
        };
      }),
    );
}

function sampleMail({ brand, publicUrl }: Settings, topic?: (typeof NOTICE_TOPICS)[number]) {
  return digestMail({ brand, publicUrl }, Token.generate().reveal(), sampleDigest(topic));
}
