import type { MailCourier, SendResult } from "../domain/mail/courier.ts";
import { openCourier } from "../service/mail.ts";
import type { CommandContext } from "./context.ts";

/** Sends urgent e-mails for a command, and says what became of them. */
export function postOf({ settings, output, store: openStore, clock }: CommandContext) {
  let courier: Promise<MailCourier | undefined> | undefined;
  const open = async () =>
    openCourier(settings, await openStore(), () => settings.publicUrl, {
      clock,
      onAttempt: () => {},
      onFailure: (message) => output.warn(message),
    });
  return {
    /** Sends the e-mail that a change has written. Null if there is none. */
    async sendAbout(about: string): Promise<SendResult | null> {
      courier ??= open();
      const result = (await (await courier)?.sendAbout(about)) ?? null;
      if (result?.error) output.warn(`the e-mail could not be sent: ${result.error}`);
      return result;
    },
  };
}
