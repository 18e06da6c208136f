import type { AccessRequest, AccessRequested, OwnLicence, OwnLicences } from "@dbdepot/contract/console/licences";
import type { FastifyReply } from "fastify";
import type { Family } from "../../domain/catalogue/family.ts";
import { isVisible } from "../../domain/downloads/decide.ts";
import { accessRequestMail, recordAccessRequest } from "../../domain/licences/access-request.ts";
import { type Licence, wasEverHeld } from "../../domain/licences/licence.ts";
import { standingOf } from "../../domain/licences/standing.ts";
import { licenceToWire } from "../../domain/licences/wire.ts";
import type { PersonContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";

/** Unlike the list of databases, this includes licences that are over or have not begun. */
export async function getLicences({ services, caller, now }: PersonContext): Promise<OwnLicences> {
  const { register, console } = services;
  const organizationId = caller.account.organizationId ?? "";
  const licences = register.families.flatMap(({ family }) => {
    const own = register.licences(organizationId, family.base);
    return isVisible(family, own) ? own.filter(wasEverHeld).sort(byStart).map(toWire(family, now)) : [];
  });
  return { licences, contact: console.operatorMail ?? null };
}

function byStart(one: Licence, other: Licence): number {
  return one.starts.getTime() - other.starts.getTime();
}

function toWire(family: Family, now: Date): (licence: Licence) => OwnLicence {
  return (licence) => {
    const { organization_id: _, created: __, ...own } = licenceToWire(licence, now);
    return { ...own, name: family.name };
  };
}

/** A family that the organization cannot see gets the same response as one that does not exist. */
export async function postAccessRequest(
  context: PersonContext<unknown, AccessRequest>,
): Promise<AccessRequested | FastifyReply> {
  const { services, reply, caller, operation, body, now } = context;
  const { register, console } = services;
  const { account } = caller;
  const { organization } = account;
  if (!organization) return sendError(reply, "UNKNOWN_DATASET");
  const wait = console.accessRequests.take(organization.id, now.getTime());
  if (wait > 0) return sendLimited(reply, wait);
  const family = register.families.find((each) => each.family.base === body.base)?.family;
  const licences = register.licences(organization.id, body.base);
  if (!family || !isVisible(family, licences)) return sendError(reply, "UNKNOWN_DATASET");
  const request = { account, organization, family, message: body.message?.trim() ?? "" };
  await recordAccessRequest(operation, request);
  if (!console.mailer || console.operatorMail === undefined) return { mailed: false };
  const addresses = { to: console.operatorMail, publicUrl: console.publicUrl() };
  const mail = accessRequestMail(request, standingOf(licences, now), addresses);
  return { mailed: await console.mailer.send(mail) };
}
