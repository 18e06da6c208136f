import { Button } from "@mantine/core";
import { IconReportAnalytics } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { NewerButton, useLiveList } from "../../components/live-list.tsx";
import { boundsOf, hasChart, isOpen } from "../../components/period.ts";
import { OrganizationName } from "../organizations/organization-name.tsx";
import { type Attempt, attemptColumns } from "./attempt-columns.tsx";
import { AttemptDrawer } from "./attempt-drawer.tsx";
import { type AttemptSource, allAttempts, ownAttempts } from "./attempt-source.ts";
import type { HistoryFilter } from "./filter.ts";
import { HistoryFilters } from "./history-filters.tsx";
import { NoAttempts } from "./no-attempts.tsx";
import { UsageChart } from "./usage-chart.tsx";

const PAGE_SIZE = 500;

interface AttemptHistoryProps {
  filter: HistoryFilter;
  onFilter: (filter: HistoryFilter) => void;
  /** The organization that the page is about. If undefined, operators can filter by it. */
  organizationId?: string;
}

/** The filters, the chart and the list of download attempts. */
export function AttemptHistory({ filter: search, onFilter, organizationId }: AttemptHistoryProps) {
  const { attempt: opened, ...chosen } = search;
  const isOperator = isOperatorRole(useAccount().role);
  const source = useAttemptSource();
  const filter = organizationId === undefined ? chosen : { ...chosen, organization: organizationId };
  const navigate = useNavigate();
  // A page of its own in the browser's history, so that Back closes it.
  const open = (attempt: string | undefined) =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, attempt }) as HistoryFilter,
      replace: attempt === undefined,
      resetScroll: false,
    });
  const organizationOf = ({ organization_id: id }: Attempt) => (id ? <OrganizationName id={id} /> : "Unknown");
  const bounds = historyBounds(filter);
  const { query, isLoadingMore, loadMore, newerCount, showNewer } = useLiveList({
    queryKey: ["history", filter, bounds],
    load: source.load,
    url: source.url(filter, { ...bounds, limit: PAGE_SIZE }),
    urlSince: isOpen(filter) ? (from) => source.url(filter, { ...bounds, from, limit: PAGE_SIZE }) : undefined,
  });
  return (
    <>
      <HistoryFilters filter={chosen} isOfOrganization={organizationId !== undefined} onChange={onFilter} />
      {filter.request === undefined && hasChart(filter) && <UsageChart filter={filter} />}
      <NewerButton count={newerCount} noun="attempt" onShow={showNewer} />
      <DataTable
        label="Download attempts"
        query={query}
        placeholders={10}
        columns={attemptColumns(isOperator && organizationId === undefined ? organizationOf : undefined)}
        onOpen={({ id }) => open(id)}
        onEnd={loadMore}
        isLoadingMore={isLoadingMore}
        empty={<NoAttempts isFiltered={Object.keys(chosen).length > 0} onClear={() => onFilter({})} />}
      />
      {opened !== undefined && (
        <AttemptDrawer
          id={opened}
          listed={query.data?.find(({ id }) => id === opened)}
          source={source}
          organizationOf={isOperator ? organizationOf : undefined}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

/** A link to the totals, and the attempts as CSV. */
export function HistoryActions({ filter }: { filter: HistoryFilter }) {
  const source = useAttemptSource();
  const { organization } = filter;
  return (
    <>
      <Button
        renderRoot={(props) => (
          <Link {...props} to="/usage" search={organization === undefined ? {} : { organization }} />
        )}
        variant="default"
        leftSection={<IconReportAnalytics size={16} stroke={1.6} />}
      >
        Usage
      </Button>
      <ExportButton url={source.url(filter, { ...historyBounds(filter), format: "csv" })} />
    </>
  );
}

/** The attempts of the person's organization, or of all organizations for operators. */
export function useAttemptSource(): AttemptSource {
  return isOperatorRole(useAccount().role) ? allAttempts : ownAttempts;
}

/** The period of a filter. A request is found whenever it was made. */
function historyBounds(filter: HistoryFilter) {
  return filter.request === undefined ? boundsOf(filter) : { from: undefined, to: undefined };
}
