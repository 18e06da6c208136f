import { utcDayOf } from "../../platform/primitives/dates.ts";
import { isPseudonym } from "../access/person.ts";
import type { MailContent, MailWriter } from "../mail/outgoing-mail.ts";
import { writeUrgent } from "../mail/write.ts";
import type { Operation, Tables } from "../store.ts";
import type { AccessRequest, StandingAtRequest } from "./request.ts";

type Named = Pick<Tables, "organizations" | "families">;

/** Writes the e-mail that tells the vendor about a new request. Call it in the transaction of the change. */
export async function mailRequest(tables: Tables, operation: Operation, { id: about }: AccessRequest): Promise<void> {
  const to = operation.rules?.mail?.operatorMail;
  if (to !== undefined) await writeUrgent(tables, operation, { kind: "request", accountId: null, to, about });
}

/** Writes the e-mail that tells the person who asked about the decision. Call it in the transaction of the change. */
export async function mailDecision(
  tables: Tables,
  operation: Operation,
  { id: about, person: { email: to } }: AccessRequest,
): Promise<void> {
  if (isPseudonym(to)) return;
  const accountId = (await tables.accounts.byEmail(to))?.id ?? null;
  await writeUrgent(tables, operation, { kind: "decision", accountId, to, about });
}

/** `standingOf` is what the vendor sees of the organization's licences for the family. */
export function requestWriter(
  publicUrl: () => string,
  standingOf: (tables: Tables, request: AccessRequest, now: Date) => Promise<StandingAtRequest>,
): MailWriter {
  return async ({ about }, store, now) => {
    const request = await store.requests.byId(about ?? "");
    if (!request || isPseudonym(request.person.email)) return undefined;
    const standing = await standingOf(store, request, now);
    return requestMail(request, await namesOf(store, request), standing, publicUrl());
  };
}

/** Replies to the e-mail reach the vendor. */
export function decisionWriter(publicUrl: () => string, operatorMail: string | undefined): MailWriter {
  return async ({ about }, store) => {
    const request = await store.requests.byId(about ?? "");
    if (!request || isPseudonym(request.person.email)) return undefined;
    const licence = request.licenceId === null ? undefined : await store.licences.byId(request.licenceId);
    const mail = decisionMail(request, await namesOf(store, request), licence, publicUrl());
    return { ...mail, ...(operatorMail !== undefined && { replyTo: operatorMail }) };
  };
}

/** The period in which a licence is valid. */
interface Term {
  starts: Date;
  expires: Date | null;
}

interface Names {
  organization: string;
  family: string;
}

/** The e-mail to the operator. A reply reaches the person who asked. */
function requestMail(
  { person, base, message, id }: AccessRequest,
  { organization, family }: Names,
  { standing, licence }: StandingAtRequest,
  publicUrl: string,
): MailContent {
  const who = person.name === "" ? person.email : `${person.name} <${person.email}>`;
  const lines = [
    `${who} of ${organization} asks for a licence for ${family} (${base}).`,
    "",
    `Licence now: ${standing}${licence?.expires ? `, until ${utcDayOf(licence.expires)}` : ""}`,
    ...(message === "" ? [] : ["", "Message:", "", message]),
    "",
    "To grant or decline the request, open",
    `${publicUrl}/console/requests?request=${id}`,
    "",
    "Reply to this e-mail to write to the person who asked.",
    "",
  ];
  return { replyTo: person.email, subject: `${organization} asks for ${family}`, text: lines.join("\n") };
}

/** The e-mail to the person who asked. */
function decisionMail(
  { base, state, reply }: AccessRequest,
  { family }: Names,
  licence: Term | undefined,
  publicUrl: string,
): MailContent {
  const isGranted = state === "granted";
  const lines = [
    "Hello,",
    "",
    isGranted
      ? `Your request for ${family} (${base}) was granted.${licence ? ` ${termOf(licence)}` : ""}`
      : `Your request for ${family} (${base}) was declined.`,
    ...(reply ? ["", isGranted ? "Message:" : "Reason:", "", reply] : []),
    "",
    isGranted ? `${publicUrl}/console/databases/${base}` : `${publicUrl}/console/licences`,
    "",
  ];
  return {
    subject: isGranted ? `Your request for ${family} was granted` : `Your request for ${family} was declined`,
    text: lines.join("\n"),
  };
}

function termOf({ starts, expires }: Term): string {
  const end = expires ? `ends on ${utcDayOf(expires)}` : "has no end date";
  return `The licence starts on ${utcDayOf(starts)} and ${end} (UTC).`;
}

async function namesOf({ organizations, families }: Named, { organizationId, base }: AccessRequest): Promise<Names> {
  const [organization, family] = [await organizations.byId(organizationId), await families.byBase(base)];
  return { organization: organization?.name ?? organizationId, family: family?.name ?? base };
}
