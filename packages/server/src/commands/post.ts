import type { Post } from "../domain/requests/mails.ts";
import type { CommandContext } from "./context.ts";

/** Lets a command send e-mail, as the server does. */
export async function withPost<T>(
  { settings: { mail, operatorMail, publicUrl }, output }: Pick<CommandContext, "settings" | "output">,
  work: (post: Post) => Promise<T>,
): Promise<T> {
  if (!mail) return work({ mailer: undefined, operatorMail, publicUrl });
  // Imported on demand, because few commands send e-mail.
  const { openMailer } = await import("../adapters/mail/mailer.ts");
  const mailer = openMailer(mail, (error) => output.warn(`the e-mail could not be sent: ${(error as Error).message}`));
  try {
    return await work({ mailer, operatorMail, publicUrl });
  } finally {
    mailer.close();
  }
}
