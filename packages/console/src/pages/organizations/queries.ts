import type { OperatorLicence } from "@dbdepot/contract/operator/licences";
import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { queryOptions } from "@tanstack/react-query";
import { allPages, api } from "../../app/api.ts";

/** All organizations, ordered by name. Its key is the prefix of everything about organizations. */
export const organizationsQuery = queryOptions({
  queryKey: ["organizations"],
  queryFn: (): Promise<OperatorOrganization[]> => allPages(api.organizations, ({ organizations }) => organizations),
});

export function organizationQuery(id: string) {
  return queryOptions({ queryKey: ["organizations", id], queryFn: () => api.organization(id) });
}

export function licencesOf(organizationId: string) {
  return queryOptions({
    queryKey: ["licences", organizationId],
    queryFn: (): Promise<OperatorLicence[]> =>
      allPages(
        (url) => api.licences({ org: organizationId }, url),
        ({ licences }) => licences,
      ),
  });
}

export const familiesQuery = queryOptions({
  queryKey: ["families"],
  queryFn: async () => (await api.families()).families,
});
