import type { OperatorAttempt } from "@dbdepot/contract/operator/history";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { FilterBar, SelectFilter, TextFilter } from "../../components/filter-bar.tsx";
import { NewerButton, useLiveList } from "../../components/live-list.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { boundsOf, hasChart, isOpen } from "../../components/period.ts";
import { PeriodFilter } from "../../components/period-filter.tsx";
import { catalogueQuery } from "../catalogue/queries.ts";
import { organizationsQuery } from "../organizations/queries.ts";
import { AttemptDrawer } from "./attempt-drawer.tsx";
import { AttemptTable } from "./attempt-table.tsx";
import { type HistoryFilter, parseHistoryFilter, withPeriod } from "./filter.ts";
import { NoAttempts } from "./no-attempts.tsx";
import { OUTCOME_OPTIONS } from "./outcomes.ts";
import { UsageChart } from "./usage-chart.tsx";

const route = getRouteApi("/signed-in/operator-history");
const PAGE_SIZE = 500;

export function OperatorHistory() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const setFilter = (search: HistoryFilter) => void navigate({ search, replace: true });
  const [opened, setOpened] = useState<OperatorAttempt>();
  const organizations = useQuery(organizationsQuery);
  const { outcome, database, key, organization, request } = filter;
  // A request is found whenever it was made.
  const { from, to } = request === undefined ? boundsOf(filter) : {};
  const matching = { org: organization, outcome, database, key, request, since: from, until: to };
  const { query, isLoadingMore, loadMore, newerCount, showNewer } = useLiveList({
    queryKey: ["operator-history", matching],
    load: api.attempts,
    url: api.attemptsUrl({ ...matching, limit: PAGE_SIZE }),
    urlSince: isOpen(filter) ? (time) => api.attemptsUrl({ ...matching, since: time, limit: PAGE_SIZE }) : undefined,
  });
  const organizationOf = ({ organization_id: id }: OperatorAttempt) =>
    id === null ? "Unknown" : (organizations.data?.find((each) => each.id === id)?.name ?? id);
  return (
    <Page
      title="History"
      description="Every download attempt of all customers, with the exact cause of each refusal."
      actions={<ExportButton url={api.attemptsUrl({ ...matching, format: "csv" })} />}
    >
      <Filters filter={filter} onChange={setFilter} />
      {request === undefined && hasChart(filter) && <UsageChart filter={filter} />}
      <NewerButton count={newerCount} noun="attempt" onShow={showNewer} />
      <Loaded
        query={query}
        rows={10}
        isEmpty={(attempts) => attempts.length === 0}
        empty={<NoAttempts isFiltered={Object.keys(filter).length > 0} onClear={() => setFilter({})} />}
      >
        {(attempts) => (
          <AttemptTable
            attempts={attempts}
            organizationOf={organizationOf}
            isLoadingMore={isLoadingMore}
            onEnd={loadMore}
            onOpen={setOpened}
          />
        )}
      </Loaded>
      <AttemptDrawer
        attempt={opened}
        organization={opened && organizationOf(opened)}
        onClose={() => setOpened(undefined)}
      />
    </Page>
  );
}

interface FiltersProps {
  filter: HistoryFilter;
  onChange: (filter: HistoryFilter) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  const organizations = useQuery(organizationsQuery);
  const catalogue = useQuery(catalogueQuery);
  const ids = catalogue.data?.flatMap(({ versions }) => versions.map(({ id }) => id)) ?? [];
  const change = (changes: Record<string, string | undefined>) =>
    onChange(parseHistoryFilter({ ...filter, ...changes }));
  return (
    <FilterBar>
      <PeriodFilter value={filter} onChange={(period) => onChange(withPeriod(filter, period))} />
      <SelectFilter
        label="Organization"
        all="All organizations"
        value={filter.organization}
        options={(organizations.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(organization) => change({ organization })}
      />
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
      <TextFilter label="Key" placeholder="Id or prefix" value={filter.key} onChange={(key) => change({ key })} />
      <TextFilter
        label="Request"
        placeholder="Id from X-Request-Id"
        value={filter.request}
        onChange={(request) => change({ request })}
      />
    </FilterBar>
  );
}
