import type {
  AccessRequest,
  AccessRequested,
  OwnLicence,
  OwnLicences,
  OwnRequests,
} from "@dbdepot/contract/console/licences";
import type { FastifyReply } from "fastify";
import type { Family } from "../../domain/catalogue/family.ts";
import { isVisible } from "../../domain/downloads/decide.ts";
import { type Licence, wasEverHeld } from "../../domain/licences/licence.ts";
import { standingOf } from "../../domain/licences/standing.ts";
import { licenceToWire } from "../../domain/licences/wire.ts";
import { mailRequest } from "../../domain/requests/mails.ts";
import { createRequest } from "../../domain/requests/requests.ts";
import { requestToOwnWire } from "../../domain/requests/wire.ts";
import type { PersonContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { postOf } from "./services.ts";

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
    const { organization_id: _, created: __, external_id: ___, ...own } = licenceToWire(licence, now);
    return { ...own, name: family.name };
  };
}

/** The newest request for each family that the organization can see. */
export async function getAccessRequests({ services, caller }: PersonContext): Promise<OwnRequests> {
  const { store, register } = services;
  const organizationId = caller.account.organizationId ?? "";
  const requests = (await store.requests.latest(organizationId)).filter(({ base }) => {
    const family = register.family(base);
    return family && isVisible(family, register.licences(organizationId, base));
  });
  return { requests: requests.map(requestToOwnWire) };
}

/** A family that the organization cannot see gets the same response as one that does not exist. */
export async function postAccessRequest(
  context: PersonContext<unknown, AccessRequest>,
): Promise<AccessRequested | FastifyReply> {
  const { services, reply, caller, operation, body, now } = context;
  const { store, register, console } = services;
  const { organization, email, name } = caller.account;
  const { base, message = "" } = body;
  if (!organization) return sendError(reply, "UNKNOWN_DATASET");
  const wait = console.accessRequests.take(organization.id, now.getTime());
  if (wait > 0) return sendLimited(reply, wait);
  const family = register.family(base);
  const licences = register.licences(organization.id, base);
  if (!family || !isVisible(family, licences)) return sendError(reply, "UNKNOWN_DATASET");
  const wanted = { organizationId: organization.id, base, person: { email, name }, message };
  const { request, isNew } = await createRequest(operation, wanted);
  const mailed = isNew && (await mailRequest(postOf(services), store, request, standingOf(licences, now)));
  return { mailed, already_pending: !isNew, request: requestToOwnWire(request) };
}
