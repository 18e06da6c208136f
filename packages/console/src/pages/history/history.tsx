import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { NewerButton, useLiveList } from "../../components/live-list.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { boundsOf, hasChart, isOpen } from "../../components/period.ts";
import { organizationsQuery } from "../organizations/queries.ts";
import { AttemptDrawer } from "./attempt-drawer.tsx";
import { allAttempts, ownAttempts } from "./attempt-source.ts";
import { type Attempt, AttemptTable } from "./attempt-table.tsx";
import { type HistoryFilter, withoutOperatorFilters } from "./filter.ts";
import { HistoryFilters } from "./history-filters.tsx";
import { NoAttempts } from "./no-attempts.tsx";
import { UsageChart } from "./usage-chart.tsx";

const route = getRouteApi("/signed-in/history");
const PAGE_SIZE = 500;

/** Shows the attempts of the person's organization, or of all organizations for operators. */
export function History() {
  const isOperator = isOperatorRole(useAccount().role);
  const search = route.useSearch();
  const filter = isOperator ? search : withoutOperatorFilters(search);
  const navigate = route.useNavigate();
  const setFilter = (search: HistoryFilter) => void navigate({ search, replace: true });
  const [opened, setOpened] = useState<Attempt>();
  const organizations = useQuery({ ...organizationsQuery, enabled: isOperator });
  const organizationOf = ({ organization_id: id }: Attempt) =>
    id ? (organizations.data?.find((each) => each.id === id)?.name ?? id) : "Unknown";
  // A request is found whenever it was made.
  const isRequest = filter.request !== undefined;
  const bounds = isRequest ? { from: undefined, to: undefined } : boundsOf(filter);
  const source = isOperator ? allAttempts : ownAttempts;
  const { query, isLoadingMore, loadMore, newerCount, showNewer } = useLiveList({
    queryKey: ["history", filter, bounds],
    load: source.load,
    url: source.url(filter, { ...bounds, limit: PAGE_SIZE }),
    urlSince: isOpen(filter) ? (from) => source.url(filter, { ...bounds, from, limit: PAGE_SIZE }) : undefined,
  });
  return (
    <Page
      title="History"
      description={source.description}
      actions={<ExportButton url={source.url(filter, { ...bounds, format: "csv" })} />}
    >
      <HistoryFilters filter={filter} onChange={setFilter} />
      {!isRequest && hasChart(filter) && <UsageChart filter={filter} />}
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
            organizationOf={isOperator ? organizationOf : undefined}
            isLoadingMore={isLoadingMore}
            onEnd={loadMore}
            onOpen={setOpened}
          />
        )}
      </Loaded>
      <AttemptDrawer
        attempt={opened}
        organization={opened && isOperator ? organizationOf(opened) : undefined}
        onClose={() => setOpened(undefined)}
      />
    </Page>
  );
}
