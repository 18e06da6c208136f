import type { OperatorLicence } from "@dbdepot/contract/operator";
import type { LicencesQuery } from "@dbdepot/contract/operator-queries";
import type { GrantLicenceRequest, RenewLicenceRequest } from "@dbdepot/contract/operator-requests";
import type { LicenceList } from "@dbdepot/contract/operator-responses";
import { requireFamily } from "../../catalogue/catalogue.ts";
import { endLicence, grantLicence, renewLicence } from "../../licences/licences.ts";
import { licenceToWire } from "../../licences/wire.ts";
import { requireTime } from "../../primitives/dates.ts";
import { byId, pageOf } from "../page.ts";
import { organizationFilter } from "./organizations.ts";
import type { OperatorContext } from "./route.ts";

export async function listLicences(context: OperatorContext<LicencesQuery>): Promise<LicenceList> {
  const { services, query, now } = context;
  const { store } = services;
  const ofOrganization = await organizationFilter(store, query.org);
  const ofFamily = query.base === undefined ? {} : { base: (await requireFamily(store, query.base)).base };
  const page = await pageOf(context, byId, ({ limit, from }) =>
    store.licences.list({ ...ofOrganization, ...ofFamily, limit, ...(from !== undefined && { after: from }) }),
  );
  return { licences: page.map((licence) => licenceToWire(licence, now)) };
}

export async function postLicence({
  operation,
  body,
  now,
}: OperatorContext<unknown, GrantLicenceRequest>): Promise<OperatorLicence> {
  const { org, base, redistribution } = body;
  const starts = requireTime("starts", body.starts);
  const expires = requireTime("expires", body.expires) ?? null;
  const licence = await grantLicence(operation, {
    organization: org,
    base,
    redistribution,
    expires,
    ...(starts && { starts }),
  });
  return licenceToWire(licence, now);
}

export async function postRenewal({
  operation,
  id,
  body,
  now,
}: OperatorContext<unknown, RenewLicenceRequest>): Promise<OperatorLicence> {
  return licenceToWire(await renewLicence(operation, id, requireTime("expires", body.expires) ?? null), now);
}

export async function postEnd({ operation, id, now }: OperatorContext): Promise<OperatorLicence> {
  return licenceToWire(await endLicence(operation, id), now);
}
