import type { AccessRequest, AccessRequested, OwnLicences, OwnRequests } from "@dbdepot/contract/console/licences";
import type {
  GrantLicenceRequest,
  LicencesQuery,
  OperatorLicence,
  RenewLicenceRequest,
} from "@dbdepot/contract/operator/licences";
import { queryOptions } from "@tanstack/react-query";
import { allItems, get, list, send } from "../../app/api.ts";

export const licencesApi = {
  list: list<OperatorLicence, LicencesQuery>("/api/operator/licences", "licences"),
  grant: (body: GrantLicenceRequest) => send<OperatorLicence>("POST", "/api/operator/licences", body),
  renew: (id: string, body: RenewLicenceRequest) =>
    send<OperatorLicence>("POST", `/api/operator/licences/${id}/renew`, body),
  end: (id: string) => send<OperatorLicence>("POST", `/api/operator/licences/${id}/end`),
  /** Requests a licence. Only customers may do that. */
  request: (body: AccessRequest) => send<AccessRequested>("POST", "/api/console/access-requests", body),
};

/** The licences of one organization, for operators. */
export function licencesOf(organizationId: string) {
  return queryOptions({
    queryKey: ["licences", organizationId],
    queryFn: (): Promise<OperatorLicence[]> => allItems(licencesApi.list, { org: organizationId, limit: 1000 }),
  });
}

/** The licences of the person's own organization. */
export const ownLicencesQuery = queryOptions({
  queryKey: ["own-licences"],
  queryFn: () => get<OwnLicences>("/api/console/licences"),
});

/** The newest request for each family. */
export const ownRequestsQuery = queryOptions({
  queryKey: ["own-requests"],
  queryFn: () => get<OwnRequests>("/api/console/access-requests"),
});
