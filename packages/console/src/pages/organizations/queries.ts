import type { OperatorLicence } from "@dbdepot/contract/operator/licences";
import { queryOptions } from "@tanstack/react-query";
import { allItems, api } from "../../app/api.ts";

/** The prefix of the query keys of everything about organizations. */
export const ORGANIZATIONS_KEY = ["organizations"] as const;

export function organizationQuery(id: string) {
  return queryOptions({ queryKey: ["organizations", id], queryFn: () => api.organization(id) });
}

export function limitsOf(organizationId: string) {
  return queryOptions({
    queryKey: [...ORGANIZATIONS_KEY, organizationId, "limits"],
    queryFn: async () => (await api.organizationLimits(organizationId)).limits,
  });
}

export function licencesOf(organizationId: string) {
  return queryOptions({
    queryKey: ["licences", organizationId],
    queryFn: (): Promise<OperatorLicence[]> => allItems(api.licences, { org: organizationId, limit: 1000 }),
  });
}

export const familiesQuery = queryOptions({
  queryKey: ["families"],
  queryFn: async () => (await api.families()).families,
});
