import { newId } from "../../platform/primitives/ids.ts";
import { isQuiet } from "../backup/quiet.ts";
import type { Operation, Tables } from "../store.ts";
import { type OutgoingMail, URGENT_MS } from "./outgoing-mail.ts";

type UrgentMail = Pick<OutgoingMail, "kind" | "accountId" | "to"> & {
  about: string;
  content?: OutgoingMail["content"];
};

/**
 * Writes an e-mail to the outbox, unless the server sends none. Call it in the transaction of the change that causes it, and
 * `MailCourier.sendAbout` after that.
 */
export async function writeUrgent(
  tables: Tables,
  { now, rules }: Pick<Operation, "now" | "rules">,
  { content = null, ...mail }: UrgentMail,
): Promise<void> {
  if (!rules?.mail || (await isQuiet(tables))) return;
  await tables.mail.insert({ ...mail, id: newId(now), content, created: now }, new Date(now.getTime() + URGENT_MS));
}
