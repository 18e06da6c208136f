import { CUSTOMER_ROLES } from "@dbdepot/contract/console/accounts";
import {
  AccessRequest,
  AccessRequested,
  type OwnLicence,
  OwnLicences,
  OwnRequests,
} from "@dbdepot/contract/console/licences";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import type { FastifyReply } from "fastify";
import type { Family } from "../../domain/catalogue/family.ts";
import { type Licence, wasEverHeld } from "../../domain/licences/licence.ts";
import { isVisible } from "../../domain/licences/standing.ts";
import { licenceToWire } from "../../domain/licences/wire.ts";
import { createRequest } from "../../domain/requests/requests.ts";
import { requestToOwnWire } from "../../domain/requests/wire.ts";
import { endpoint, type PersonContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { send } from "./services.ts";

export const LICENCE_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/licences",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: getLicences,
    summary: "List your licences",
    description: "Returns the past, current and future licences of your organization with their terms.",
    query: NoQuery,
    response: OwnLicences,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/access-requests",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: getAccessRequests,
    summary: "List your requests for access",
    description: "Returns your organization's newest request for each family, with the vendor's answer.",
    query: NoQuery,
    response: OwnRequests,
  }),
  endpoint({
    method: "POST",
    url: "/api/console/access-requests",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: postAccessRequest,
    summary: "Request access to a database",
    description:
      "Asks the vendor for a licence for a family. The request is recorded, and sent by e-mail if the server can send e-mail and knows the vendor's address. While your organization waits for an answer, another request for the same family changes nothing. An organization can make 20 requests at once, and then one every five minutes.",
    body: AccessRequest,
    response: AccessRequested,
    errors: ["UNKNOWN_DATASET", "RATE_LIMITED"],
  }),
];

/** Unlike the list of databases, this includes licences that are over or have not begun. */
async function getLicences({ services, caller, now }: PersonContext): Promise<OwnLicences> {
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
async function getAccessRequests({ services, caller }: PersonContext): Promise<OwnRequests> {
  const { store, register } = services;
  const organizationId = caller.account.organizationId ?? "";
  const requests = (await store.requests.latest(organizationId)).filter(({ base }) => {
    const family = register.family(base);
    return family && isVisible(family, register.licences(organizationId, base));
  });
  return { requests: requests.map(requestToOwnWire) };
}

/** A family that the organization cannot see gets the same response as one that does not exist. */
async function postAccessRequest(
  context: PersonContext<unknown, AccessRequest>,
): Promise<AccessRequested | FastifyReply> {
  const { services, reply, caller, operation, body, now } = context;
  const { register, console } = services;
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
  const sent = isNew ? await send(services, request.id, { isOperator: false }) : { mailed: false, mail: null };
  return { ...sent, already_pending: !isNew, request: requestToOwnWire(request) };
}
