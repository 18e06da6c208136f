import { OperatorLicence } from "@dbdepot/contract/operator";
import { LicencesQuery } from "@dbdepot/contract/operator-queries";
import { GrantLicenceRequest, RenewLicenceRequest } from "@dbdepot/contract/operator-requests";
import { LicenceList } from "@dbdepot/contract/operator-responses";
import { requireFamily } from "../../catalogue/catalogue.ts";
import { endLicence, grantLicence, renewLicence } from "../../licences/licences.ts";
import { licenceToWire } from "../../licences/wire.ts";
import { organizationIdOf } from "../../organizations/organizations.ts";
import { requireTime } from "../../primitives/dates.ts";
import { byId, pageOf } from "../page.ts";
import { operatorRoute } from "./route.ts";

export const LICENCE_ROUTES = [
  operatorRoute({
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
      const page = await pageOf(context, byId, ({ limit, from }) =>
        store.licences.list({ organizationId, base, limit, after: from }),
      );
      return { licences: page.map((licence) => licenceToWire(licence, now)) };
    },
  }),
  operatorRoute({
    method: "POST",
    url: "/api/operator/licences",
    scope: "operator.write",
    summary: "Grant a licence",
    body: GrantLicenceRequest,
    response: OperatorLicence,
    async respond({ operation, body, now }) {
      const { org: organization, base, redistribution } = body;
      const starts = requireTime("starts", body.starts);
      const expires = requireTime("expires", body.expires);
      return licenceToWire(await grantLicence(operation, { organization, base, redistribution, starts, expires }), now);
    },
  }),
  operatorRoute({
    method: "POST",
    url: "/api/operator/licences/:id/renew",
    scope: "operator.write",
    summary: "Renew a licence",
    body: RenewLicenceRequest,
    response: OperatorLicence,
    async respond({ operation, id, body, now }) {
      return licenceToWire(await renewLicence(operation, id, requireTime("expires", body.expires) ?? null), now);
    },
  }),
  operatorRoute({
    method: "POST",
    url: "/api/operator/licences/:id/end",
    scope: "operator.write",
    summary: "End a licence",
    response: OperatorLicence,
    respond: async ({ operation, id, now }) => licenceToWire(await endLicence(operation, id), now),
  }),
];
