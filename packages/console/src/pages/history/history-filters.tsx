import { useQuery } from "@tanstack/react-query";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { FilterBar, SelectFilter, TextFilter } from "../../components/filter-bar.tsx";
import { PeriodFilter } from "../../components/period-filter.tsx";
import { catalogueQuery } from "../catalogue/api.ts";
import { databasesQuery } from "../databases/api.ts";
import { keysQuery } from "../keys/keyring.ts";
import { OrganizationSelect } from "../organizations/organization-select.tsx";
import { type HistoryFilter, parseHistoryFilter, withPeriod } from "./filter.ts";
import { OUTCOME_OPTIONS } from "./outcomes.ts";

interface HistoryFiltersProps {
  filter: HistoryFilter;
  /** Whether the page is about one organization. */
  isOfOrganization?: boolean;
  onChange: (filter: HistoryFilter) => void;
}

export function HistoryFilters({ filter, isOfOrganization = false, onChange }: HistoryFiltersProps) {
  const { role } = useAccount();
  const isOperator = isOperatorRole(role);
  const ids = useVersionIds(isOperator);
  // Only admins may see the list of their organization's keys.
  const keys = useQuery({ ...keysQuery, enabled: role === "admin" });
  const change = (changes: Record<string, string | undefined>) =>
    onChange(parseHistoryFilter({ ...filter, ...changes }));
  return (
    <FilterBar>
      <PeriodFilter value={filter} onChange={(period) => onChange(withPeriod(filter, period))} />
      {isOperator && !isOfOrganization && (
        <OrganizationSelect
          label="Organization"
          placeholder="All organizations"
          value={filter.organization ?? null}
          onChange={(organization) => change({ organization: organization ?? undefined })}
          clearable
        />
      )}
      <SelectFilter
        label="Result"
        all="All results"
        value={filter.outcome}
        options={OUTCOME_OPTIONS}
        onChange={(outcome) => change({ outcome })}
      />
      <SelectFilter
        label="Database"
        all="All databases"
        value={filter.database}
        options={ids.map((id) => ({ value: id, label: id }))}
        onChange={(database) => change({ database })}
      />
      {(role === "admin" || (filter.key && !isOperator)) && (
        <SelectFilter
          label="Key"
          all="All keys"
          value={filter.key}
          options={(keys.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(key) => change({ key })}
        />
      )}
      {isOperator && (
        <TextFilter label="Key" placeholder="Id or prefix" value={filter.key} onChange={(key) => change({ key })} />
      )}
      <TextFilter
        label="Request"
        placeholder="Id from X-Request-Id"
        value={filter.request}
        onChange={(request) => change({ request })}
      />
    </FilterBar>
  );
}

/** The ids of all versions that the person may see. */
function useVersionIds(isOperator: boolean): string[] {
  const catalogue = useQuery({ ...catalogueQuery, enabled: isOperator });
  const databases = useQuery({ ...databasesQuery, enabled: !isOperator });
  const families = catalogue.data ?? databases.data?.databases ?? [];
  return families.flatMap(({ versions }) => versions.map(({ id }) => id));
}
