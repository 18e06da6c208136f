import {
  GrantLicenceRequest,
  LicenceList,
  LicencesQuery,
  OperatorLicence,
  RenewLicenceRequest,
} from "@dbdepot/contract/operator/licences";
import { organizationIdOf } from "../../domain/access/find-organization.ts";
import { requireFamily } from "../../domain/catalogue/catalogue.ts";
import type { Licence } from "../../domain/licences/licence.ts";
import { endLicence, grantLicence, type LicenceChange, renewLicence } from "../../domain/licences/licences.ts";
import { licenceToWire } from "../../domain/licences/wire.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { send } from "../console/services.ts";
import { endpoint } from "../endpoint.ts";
import { listPage } from "../page.ts";
import type { Services } from "../route.ts";

export const LICENCE_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/licences",
    scope: "operator.read",
    summary: "List licences",
    query: LicencesQuery,
    response: LicenceList,
    async respond(context) {
      const { now, query } = context;
      const { store } = context.services;
      const organizationId = await organizationIdOf(store, query.org);
      const base = query.base === undefined ? undefined : (await requireFamily(store, query.base)).base;
      const { redistribution } = query;
      const state = query.state && { is: query.state, at: now };
      const before = requireTime("ends_before", query.ends_before);
      const ending = before && { before, now };
      const filter = { organizationId, base, redistribution, state, ending };
      const page = await listPage(context, (request) => store.licences.page(filter, request));
      return { licences: page.map((licence) => licenceToWire(licence, now)) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/licences",
    scope: "operator.write",
    summary: "Grant a licence",
    body: GrantLicenceRequest,
    response: OperatorLicence,
    async respond({ services, operation, body, now }) {
      const { org: organization, base, redistribution } = body;
      const starts = requireTime("starts", body.starts);
      const request = { organization, base, redistribution, starts, ...changeOf(body) };
      const licence = await grantLicence(operation, request);
      await sendSettled(services, licence, now);
      return licenceToWire(licence, now);
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/licences/:id/renew",
    scope: "operator.write",
    summary: "Renew a licence",
    body: RenewLicenceRequest,
    response: OperatorLicence,
    async respond({ services, operation, id, body, now }) {
      const licence = await renewLicence(operation, id, changeOf(body));
      await sendSettled(services, licence, now);
      return licenceToWire(licence, now);
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/licences/:id/end",
    scope: "operator.write",
    summary: "End a licence",
    response: OperatorLicence,
    respond: async ({ operation, id, now }) => licenceToWire(await endLicence(operation, id), now),
  }),
];

/** Tells everyone whose request the licence has settled. */
async function sendSettled(services: Services, { id }: Licence, now: Date): Promise<void> {
  for (const request of await services.store.requests.settled(id, now)) {
    await send(services, request.id, { isOperator: true });
  }
}

export function changeOf(body: RenewLicenceRequest): LicenceChange {
  return {
    expires: requireTime("expires", body.expires),
    renewsAt: requireTime("renews_at", body.renews_at),
    noticeDueAt: requireTime("notice_due_at", body.notice_due_at),
    terms: body.terms,
  };
}
