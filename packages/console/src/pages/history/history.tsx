import type { ConsoleDownload } from "@dbdepot/contract/console/history";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { useAccount } from "../../app/session.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { FilterBar, SelectFilter } from "../../components/filter-bar.tsx";
import { NewerButton, useLiveList } from "../../components/live-list.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { boundsOf, hasChart, isOpen } from "../../components/period.ts";
import { PeriodFilter } from "../../components/period-filter.tsx";
import { databasesQuery } from "../databases/queries.ts";
import { keysQuery } from "../keys/queries.ts";
import { AttemptDrawer } from "./attempt-drawer.tsx";
import { AttemptTable } from "./attempt-table.tsx";
import { type HistoryFilter, parseHistoryFilter, withPeriod } from "./filter.ts";
import { NoAttempts } from "./no-attempts.tsx";
import { OUTCOME_OPTIONS } from "./outcomes.ts";
import { UsageChart } from "./usage-chart.tsx";

const route = getRouteApi("/signed-in/history");
const PAGE_SIZE = 500;

export function History() {
  const { organization: _, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const setFilter = (search: HistoryFilter) => void navigate({ search, replace: true });
  const [opened, setOpened] = useState<ConsoleDownload>();
  const { outcome, database, key } = filter;
  const matching = { outcome, database, key, ...boundsOf(filter) };
  const { query, isLoadingMore, loadMore, newerCount, showNewer } = useLiveList({
    queryKey: ["downloads", matching],
    load: api.downloads,
    url: api.downloadsUrl({ ...matching, limit: PAGE_SIZE }),
    urlSince: isOpen(filter) ? (time) => api.downloadsUrl({ ...matching, from: time, limit: PAGE_SIZE }) : undefined,
  });
  return (
    <Page
      title="History"
      description="Every download attempt of your organization's keys and people, refused ones included."
      actions={<ExportButton url={api.downloadsUrl({ ...matching, format: "csv" })} />}
    >
      <Filters filter={filter} onChange={setFilter} />
      {hasChart(filter) && <UsageChart filter={filter} />}
      <NewerButton count={newerCount} noun="attempt" onShow={showNewer} />
      <Loaded
        query={query}
        rows={10}
        isEmpty={(attempts) => attempts.length === 0}
        empty={<NoAttempts isFiltered={Object.keys(filter).length > 0} onClear={() => setFilter({})} />}
      >
        {(attempts) => (
          <AttemptTable attempts={attempts} isLoadingMore={isLoadingMore} onEnd={loadMore} onOpen={setOpened} />
        )}
      </Loaded>
      <AttemptDrawer attempt={opened} onClose={() => setOpened(undefined)} />
    </Page>
  );
}

interface FiltersProps {
  filter: HistoryFilter;
  onChange: (filter: HistoryFilter) => void;
}

function Filters({ filter, onChange }: FiltersProps) {
  const { role } = useAccount();
  const databases = useQuery(databasesQuery);
  const ids = databases.data?.databases.flatMap(({ versions }) => versions.map(({ id }) => id)) ?? [];
  // Only admins may see the list of keys.
  const keys = useQuery({ ...keysQuery, enabled: role === "admin" });
  const change = (changes: Record<string, string | undefined>) =>
    onChange(parseHistoryFilter({ ...filter, ...changes }));
  return (
    <FilterBar>
      <PeriodFilter value={filter} onChange={(period) => onChange(withPeriod(filter, period))} />
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
      {(role === "admin" || filter.key) && (
        <SelectFilter
          label="Key"
          all="All keys"
          value={filter.key}
          options={(keys.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(key) => change({ key })}
        />
      )}
    </FilterBar>
  );
}
