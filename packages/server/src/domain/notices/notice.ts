import type { NoticeTopic } from "@dbdepot/contract/console/notices";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import type { AccountWithOrganization } from "../access/account.ts";
import type { Family } from "../catalogue/family.ts";
import type { EventPosition } from "../events/event.ts";
import { isAfter } from "../events/feed.ts";
import { isFor } from "../licences/audience.ts";
import type { Licence } from "../licences/licence.ts";
import type { AcceptedTerms } from "../terms/terms.ts";
import type { Recipient } from "./recipient.ts";
import { topicsOf } from "./topics.ts";

/** The part of the register that decides who gets which notice. */
export interface NoticeRegister {
  readonly revision: number;
  readonly families: readonly { family: Family }[];
  family(base: string): Family | undefined;
  licences(organizationId: string, base: string): readonly Licence[];
  acceptedTerms(organizationId: string): AcceptedTerms;
  offer(databaseId: string): { build: { id: string } | undefined } | undefined;
  refresh(): Promise<void>;
}

/** Something that no longer works, something that stops working within a week or waits for someone, and everything else. */
export type Urgency = "now" | "soon" | "later";

/** An item of a digest. */
export interface Notice {
  topic: NoticeTopic;
  /** Null if it is for every organization that may download the family. */
  organizationId: string | null;
  organizationName: string | null;
  base: string | null;
  /** Its event, or null if it follows from the time only. */
  position: EventPosition | null;
  /** When it happened. */
  time: Date;
  urgency: Urgency;
  /** A sentence without a capital letter at the start. */
  text: string;
  /** The pages of the console that admins and operators are sent to. */
  paths: { admin: string; operator: string };
}

export interface DigestItem {
  text: string;
  urgency: Urgency;
  path: string;
}

export interface DigestSection {
  topic: NoticeTopic;
  items: readonly DigestItem[];
}

/** Everything that is new for a person, by topic, without what they have turned off. */
export function newsFor(
  { account, recipient }: { account: AccountWithOrganization; recipient: Recipient },
  notices: readonly Notice[],
  register: Pick<NoticeRegister, "family" | "licences">,
  now: Date,
): DigestSection[] {
  const { role, organizationId } = account;
  const own = notices.filter((notice) => isNew(notice, account, recipient, now));
  const isOperator = organizationId === null;
  const isVisible = (notice: Notice) => isOperator || isFor(notice, organizationId, holdingOf(notice), now);
  return topicsOf(role)
    .filter((topic) => !recipient.off.includes(topic))
    .map((topic) => ({
      topic,
      items: own
        .filter((notice) => notice.topic === topic && isVisible(notice))
        .map(({ organizationName, text, urgency, paths }) => ({
          urgency,
          text: isOperator && organizationName !== null ? `${organizationName}: ${text}` : capitalized(text),
          path: isOperator ? paths.operator : paths.admin,
        })),
    }))
    .filter(({ items }) => items.length > 0);

  function holdingOf({ base }: Notice) {
    const family = base === null ? undefined : register.family(base);
    if (!family || organizationId === null) return undefined;
    return { family, licences: register.licences(organizationId, family.base) };
  }
}

/** The address that gets access requests at once is not told again. */
export function toldTo(
  { email }: Pick<AccountWithOrganization, "email">,
  notices: readonly Notice[],
  operatorMail: string | undefined,
): readonly Notice[] {
  return email === operatorMail ? notices.filter(({ topic }) => topic !== "requests") : notices;
}

/** Someone who was never considered before gets the news of the last day, but none from before they were invited. */
function isNew(notice: Notice, account: AccountWithOrganization, recipient: Recipient, now: Date): boolean {
  if (notice.position && recipient.position) return isAfter(notice.position, recipient.position);
  const dayAgo = new Date(now.getTime() - DAY_MS);
  const start = recipient.digested ?? (account.created > dayAgo ? account.created : dayAgo);
  return notice.time > start;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
