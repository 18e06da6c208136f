import { writeFile } from "node:fs/promises";
import { NOTICE_TOPICS } from "@dbdepot/contract/console/notices";
import { Argument, type Command, examples, note, UsageError } from "@dbdepot/terminal/command";
import { formatTime } from "@dbdepot/terminal/format";
import { integer } from "@dbdepot/terminal/values";
import { requireEmail } from "../domain/access/person.ts";
import { Token } from "../domain/access/token.ts";
import { isQuiet } from "../domain/backup/quiet.ts";
import { digestMail } from "../domain/notices/digest.ts";
import { DigestWriter } from "../domain/notices/digests.ts";
import { currentDigest, digestOn } from "../domain/notices/personal-digest.ts";
import { sampleDigest } from "../domain/notices/sample.ts";
import { DAY_MS, HOUR_MS } from "../platform/primitives/dates.ts";
import { conflict } from "../platform/primitives/faults.ts";
import { newId } from "../platform/primitives/ids.ts";
import { Register } from "../register/register.ts";
import { openCourier, openMail } from "../service/mail.ts";
import type { Settings } from "../settings/settings.ts";
import type { CommandContext, Run } from "./context.ts";
import { timeOrDuration } from "./values.ts";

const MAILS_SHOWN = 50;
const MAILS_MAX = 10_000;
const NO_MAIL_SERVER = "no mail server is set: set DBDEPOT_SMTP_URL and DBDEPOT_MAIL_FROM first";

export function addMailCommands(program: Command, run: Run): void {
  const mail = program
    .command("mail")
    .description("Preview notifications by e-mail, test the mail server, list the outbox");

  mail
    .command("preview")
    .description("Print a notification with example data, or one person's digest, without sending it")
    .addArgument(new Argument("[topic]", "show only this topic (default: all)").choices(NOTICE_TOPICS))
    .option("--for <address>", "what this person would get, from the data of this server")
    .option(
      "--at <time>",
      "with --for: the digest of this day, as far as it is known now (default: now)",
      timeOrDuration,
    )
    .option("--html <file>", "file to write the HTML version to, for a browser")
    .addHelpText(
      "after",
      examples(
        "dbdepot-server mail preview",
        "dbdepot-server mail preview licences --html preview.html",
        "dbdepot-server mail preview --for ada@acme.example --at 2026-12-01",
      ),
    )
    .action(
      run(async (context, topic, { html: file, for: person, at }) => {
        const { mail, brand, publicUrl } = context.settings;
        if (person === undefined && at !== undefined) throw new UsageError("--at needs --for: name a person");
        const real = person === undefined ? undefined : await digestFor(context, person, at);
        const sections = (real?.sections ?? sampleDigest(topic)).filter((each) => !topic || each.topic === topic);
        if (sections.length === 0) return { json: null, text: `There is nothing to tell ${real?.account.email}.\n` };
        const token = real?.recipient.token ?? Token.generate().reveal();
        const { subject, text, html } = digestMail({ brand, publicUrl }, token, sections);
        if (file !== undefined) await writeFile(file, html);
        const signature = mail ? `\n${mail.signature.join("\n")}\n` : "";
        return {
          json: { subject, text: text + signature, html },
          text: file === undefined ? `Subject: ${subject}\n\n${text}${signature}` : `Wrote ${file}.\n`,
        };
      }),
    );

  mail
    .command("send-digest")
    .description("Send a person's digest now, instead of at DBDEPOT_DIGEST_HOUR")
    .requiredOption("--for <address>", "the person's e-mail address")
    .addHelpText("after", note("The next digest leaves out what this one contains."))
    .addHelpText("after", examples("dbdepot-server mail send-digest --for ada@acme.example"))
    .action(
      run(async ({ settings, store: openStore, clock, output }, { for: person }) => {
        if (!settings.mail) throw conflict(NO_MAIL_SERVER);
        const store = await openStore();
        const { brand, publicUrl, operatorMail, digestHour } = settings;
        const onFailure = (message: string) => output.warn(message);
        const digests = new DigestWriter({
          store,
          register: new Register(store),
          letterhead: () => ({ brand, publicUrl }),
          hour: digestHour ?? 0,
          operatorMail,
          clock,
          onFailure,
        });
        const id = await digests.writeNow(person);
        if (id === undefined)
          return { json: null, text: `There is nothing to tell ${person}, so no e-mail was sent.\n` };
        const courier = await openCourier(settings, store, () => publicUrl, { clock, onAttempt: () => {}, onFailure });
        await courier?.sendNow(id);
        const mail = await store.mail.byId(id);
        if (!mail) throw conflict(`the e-mail to ${person} was removed before it was sent`);
        const { to, state, error } = mail;
        const subject = mail.content?.subject ?? "";
        const text = {
          sent: `Sent to ${to}: ${subject}\n`,
          waiting: `The mail server did not accept the e-mail to ${to} yet: ${error}. It will be sent again.\n`,
          sending: `Another server is sending the e-mail to ${to}.\n`,
          failed: `The mail server refused the e-mail to ${to}: ${error}\n`,
          unknown: `It is unknown whether the e-mail to ${to} was sent: ${error}\n`,
        }[state];
        return {
          json: { id, to, subject, state, error },
          text,
          exitCode: state === "sent" || state === "sending" ? 0 : 1,
        };
      }),
    );

  mail
    .command("test")
    .description("Send a notification with example data to an address, and print the mail server's response")
    .argument("<address>", "e-mail address")
    .addHelpText("after", examples("dbdepot-server mail test you@example.com"))
    .action(
      run(async ({ settings, clock, store }, address) => {
        const to = requireEmail(address);
        const mailer = await openMail(settings, async () => isQuiet(await store()));
        if (!mailer) throw conflict(NO_MAIL_SERVER);
        const now = clock();
        const { subject, ...content } = sampleMail(settings);
        const sent = { ...content, id: newId(now), to, subject: `Test: ${subject}`, created: now };
        const submission = await mailer.submit(sent);
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
    .description("List the e-mails in the outbox, newest first, without their contents")
    .option("--limit <n>", `number of e-mails (default: ${MAILS_SHOWN})`, integer(1, MAILS_MAX))
    .action(
      run(async ({ output, store: openStore }, { limit = MAILS_SHOWN }) => {
        const store = await openStore();
        const found = await store.mail.list(limit);
        return {
          json: found.map(({ id, kind, to, content, state, attempts, created, nextAttempt, error }) => ({
            id,
            kind,
            to,
            subject: content?.subject ?? null,
            state,
            attempts,
            created: created.toISOString(),
            next_attempt: nextAttempt?.toISOString() ?? null,
            error,
          })),
          text: output.table(
            ["WRITTEN", "KIND", "TO", "STATE", "ATTEMPTS", "NEXT ATTEMPT", "SUBJECT", "ERROR"],
            found.map(({ kind, to, content, state, attempts, created, nextAttempt, error }) => [
              formatTime(created),
              kind,
              to,
              state,
              String(attempts),
              nextAttempt ? formatTime(nextAttempt) : undefined,
              content?.subject,
              error ?? undefined,
            ]),
            "The outbox is empty.",
          ),
        };
      }),
    );
}

function sampleMail({ brand, publicUrl }: Settings) {
  return digestMail({ brand, publicUrl }, Token.generate().reveal(), sampleDigest());
}

/** Returns what the person gets at a time, or what they have not been told yet. */
async function digestFor({ settings, store, clock }: CommandContext, person: string, at: Date | undefined) {
  const tables = await store();
  const register = new Register(tables);
  await register.refresh();
  const reader = { tables, register, operatorMail: settings.operatorMail };
  if (at === undefined) return currentDigest(reader, person, clock());
  // A date stands for its digest, which is written later on that day.
  const isDate = at.getTime() % DAY_MS === 0;
  return digestOn(reader, person, isDate ? new Date(at.getTime() + (settings.digestHour ?? 0) * HOUR_MS) : at);
}
