/** The digest of one person, to look at it or to send it before it is due. */

import { DAY_MS } from "../../platform/primitives/dates.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import { idOf } from "../../platform/primitives/ids.ts";
import type { AccountWithOrganization } from "../access/account.ts";
import { requireAccount } from "../accounts/accounts.ts";
import type { Event, EventPosition } from "../events/event.ts";
import { remindersAt } from "../reminders/reminders.ts";
import type { Tables } from "../store.ts";
import { collectNews } from "./news.ts";
import { type DigestSection, type NoticeRegister, newsFor, toldTo } from "./notice.ts";
import { newRecipient, type Recipient } from "./recipient.ts";
import { topicsOf } from "./topics.ts";

interface Reader {
  tables: Tables;
  register: NoticeRegister;
  operatorMail: string | undefined;
}

export interface PersonalDigest {
  account: AccountWithOrganization;
  recipient: Recipient;
  sections: DigestSection[];
  /** The newest event that was considered. */
  position: EventPosition | null;
}

/** Everything that the person has not been told yet. */
export async function currentDigest(reader: Reader, idOrEmail: string, now: Date): Promise<PersonalDigest> {
  const { tables, register, operatorMail } = reader;
  const { account, recipient } = await requireRecipient(tables, idOrEmail);
  const position = (await tables.events.latest()) ?? null;
  const notices = toldTo(account, await collectNews(tables, register, now), operatorMail);
  return { account, recipient, sections: newsFor({ account, recipient }, notices, register, now), position };
}

/**
 * Returns what a digest at any time says, if the person got one the day before and nothing changes until then. Reminders that will be
 * announced by then are included.
 */
export async function digestOn(reader: Reader, idOrEmail: string, time: Date): Promise<PersonalDigest> {
  const { tables, register, operatorMail } = reader;
  const { account, recipient } = await requireRecipient(tables, idOrEmail);
  const upcoming = (await remindersAt(tables, time)).map(
    ({ occurrence, due, organizationId = null, base = null, type, data }): Event => ({
      id: idOf(occurrence),
      type,
      organizationId,
      base,
      data,
      created: due,
      revision: Number.MAX_SAFE_INTEGER,
    }),
  );
  const since: Tables["events"]["since"] = async (...range) => [...(await tables.events.since(...range)), ...upcoming];
  const source = { ...tables, events: { ...tables.events, since } };
  const notices = (await collectNews(source, register, time)).filter((notice) => notice.time <= time);
  const dayBefore = { ...recipient, digested: new Date(time.getTime() - DAY_MS), position: null };
  const told = toldTo(account, notices, operatorMail);
  const sections = newsFor({ account, recipient: dayBefore }, told, register, time);
  return { account, recipient, sections, position: null };
}

async function requireRecipient(tables: Tables, idOrEmail: string) {
  const account = await requireAccount(tables, idOrEmail);
  if (topicsOf(account.role).length === 0) {
    throw conflict(`${account.email} gets no notifications, because their role (${account.role}) cannot act on them`);
  }
  return { account, recipient: (await tables.notices.recipient(account.id)) ?? newRecipient(account.id) };
}
