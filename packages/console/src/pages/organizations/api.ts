import type { CustomersImport, ExportQuery } from "@dbdepot/contract/operator/customers";
import type {
  AddOrganizationRequest,
  ListedOrganization,
  OperatorOrganization,
  OrganizationsQuery,
  UpdateOrganizationRequest,
} from "@dbdepot/contract/operator/organizations";
import type { LimitList } from "@dbdepot/contract/v2/limits";
import { queryOptions } from "@tanstack/react-query";
import { CSV, type Filter, get, list, query, send } from "../../app/api.ts";

/** The prefix of the query keys of everything about organizations. */
export const ORGANIZATIONS_KEY = ["organizations"] as const;

export const organizationsApi = {
  list: list<ListedOrganization, OrganizationsQuery>("/api/operator/organizations", "organizations"),
  add: (body: AddOrganizationRequest) => send<OperatorOrganization>("POST", "/api/operator/organizations", body),
  update: (id: string, body: UpdateOrganizationRequest) =>
    send<OperatorOrganization>("PATCH", `/api/operator/organizations/${id}`, body),
  import: (file: File, isDryRun: boolean) =>
    send<CustomersImport>("POST", `/api/operator/customers/import?${query({ dry_run: isDryRun })}`, typedFile(file)),
  exportUrl: (filter: Filter<ExportQuery>) => `/api/operator/customers/export?${query(filter)}`,
};

export function organizationQuery(id: string) {
  return queryOptions({
    queryKey: [...ORGANIZATIONS_KEY, id],
    queryFn: () => get<OperatorOrganization>(`/api/operator/organizations/${id}`),
  });
}

export function limitsOf(organizationId: string) {
  return queryOptions({
    queryKey: [...ORGANIZATIONS_KEY, organizationId, "limits"],
    queryFn: async () => (await get<LimitList>(`/api/operator/organizations/${organizationId}/limits`)).limits,
  });
}

/** Browsers disagree about the type of CSV files. */
function typedFile(file: File): Blob {
  return file.name.toLowerCase().endsWith(".json") ? file : new Blob([file], { type: CSV });
}
