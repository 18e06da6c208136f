import type { Mail, Mailer } from "../accounts/mails.ts";
import type { Licence } from "../licences/licence.ts";
import type { FamilyStanding } from "../licences/standing.ts";
import { isPseudonym } from "../privacy/person.ts";
import type { Tables } from "../store.ts";
import type { AccessRequest } from "./request.ts";

/** How requests are announced to people. */
export interface Post {
  /** Undefined if the server sends no e-mail. */
  mailer: Mailer | undefined;
  /** The vendor's address for requests. */
  operatorMail: string | undefined;
  publicUrl: string;
}

type Named = Pick<Tables, "organizations" | "families" | "licences">;

/** Tells the operator about a new request. Returns whether the mail server accepted the e-mail. */
export async function mailRequest(
  { mailer, operatorMail, publicUrl }: Post,
  tables: Named,
  request: AccessRequest,
  standing: FamilyStanding,
): Promise<boolean> {
  if (!mailer || operatorMail === undefined) return false;
  return mailer.send({
    to: operatorMail,
    ...requestMail(request, await namesOf(tables, request), standing, publicUrl),
  });
}

/** Tells the person who asked about the decision. Returns whether the mail server accepted the e-mail. */
export async function mailDecision(
  { mailer, operatorMail, publicUrl }: Post,
  tables: Named,
  request: AccessRequest,
): Promise<boolean> {
  if (!mailer || isPseudonym(request.person.email)) return false;
  const licence = request.licenceId === null ? undefined : await tables.licences.byId(request.licenceId);
  const mail = decisionMail(request, await namesOf(tables, request), licence, publicUrl);
  return mailer.send({ ...mail, ...(operatorMail !== undefined && { replyTo: operatorMail }) });
}

/** Tells everyone whose request a grant or renewal of the licence has settled. */
export async function mailSettled(
  post: Post,
  tables: Named & Pick<Tables, "requests">,
  { id }: Pick<Licence, "id">,
  now: Date,
): Promise<void> {
  for (const request of await tables.requests.settled(id, now)) await mailDecision(post, tables, request);
}

interface Names {
  organization: string;
  family: string;
}

/** The e-mail to the operator. A reply reaches the person who asked. */
function requestMail(
  { person, base, message, id }: AccessRequest,
  { organization, family }: Names,
  { standing, licence }: FamilyStanding,
  publicUrl: string,
): Omit<Mail, "to"> {
  const who = person.name === "" ? person.email : `${person.name} <${person.email}>`;
  const lines = [
    `${who} of ${organization} asks for a licence for ${family} (${base}).`,
    "",
    `Licence now: ${standing}${licence?.expires ? `, until ${dayOf(licence.expires)}` : ""}`,
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
  { person, base, state, reply }: AccessRequest,
  { family }: Names,
  licence: Licence | undefined,
  publicUrl: string,
): Mail {
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
    to: person.email,
    subject: isGranted ? `Your request for ${family} was granted` : `Your request for ${family} was declined`,
    text: lines.join("\n"),
  };
}

function termOf({ starts, expires }: Licence): string {
  const end = expires ? `ends on ${dayOf(expires)}` : "has no end date";
  return `The licence starts on ${dayOf(starts)} and ${end} (UTC).`;
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

async function namesOf({ organizations, families }: Named, { organizationId, base }: AccessRequest): Promise<Names> {
  const [organization, family] = [await organizations.byId(organizationId), await families.byBase(base)];
  return { organization: organization?.name ?? organizationId, family: family?.name ?? base };
}
