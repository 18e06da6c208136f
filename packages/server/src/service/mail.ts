import { linkWriter } from "../domain/accounts/mails.ts";
import { isQuiet } from "../domain/backup/quiet.ts";
import { standingOf } from "../domain/licences/standing.ts";
import { type CourierOptions, MailCourier } from "../domain/mail/courier.ts";
import type { Mailer } from "../domain/mail/outgoing-mail.ts";
import { decisionWriter, requestWriter } from "../domain/requests/mails.ts";
import type { Store } from "../domain/store.ts";
import type { Settings } from "../settings/settings.ts";

/** Undefined if the server sends no e-mail. */
export async function openMail({ mail }: Settings, isQuiet: () => Promise<boolean>): Promise<Mailer | undefined> {
  if (!mail) return undefined;
  // Imported on demand, because few servers and commands send e-mail.
  const { openMailer } = await import("../adapters/mail/mailer.ts");
  return openMailer(mail, isQuiet);
}

/** Opens the sender of the e-mails in the outbox, for a server or a command. Returns undefined if the server sends no e-mail. */
export async function openCourier(
  settings: Settings,
  store: Store,
  publicUrl: () => string,
  hooks: Pick<CourierOptions, "clock" | "onAttempt" | "onFailure">,
): Promise<MailCourier | undefined> {
  const mailer = await openMail(settings, () => isQuiet(store));
  if (!mailer) return undefined;
  const { brand, operatorMail } = settings;
  const writers = {
    invitation: linkWriter("invitation", publicUrl, brand.name),
    reset: linkWriter("reset", publicUrl, brand.name),
    request: requestWriter(publicUrl, async ({ licences }, { organizationId, base }, now) =>
      standingOf(await licences.list({ organizationId, base }), now),
    ),
    decision: decisionWriter(publicUrl, operatorMail),
  };
  return new MailCourier({ store, mailer, writers, ...hooks });
}
