import { Button } from "@mantine/core";
import { IconReportAnalytics } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { ExportButton } from "../../components/export-button.tsx";
import { NewerButton, useLiveList } from "../../components/live-list.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { boundsOf, hasChart, isOpen } from "../../components/period.ts";
import { OrganizationName } from "../organizations/organization-name.tsx";
import { AttemptDrawer } from "./attempt-drawer.tsx";
import { type AttemptSource, allAttempts, ownAttempts } from "./attempt-source.ts";
import { type Attempt, AttemptTable } from "./attempt-table.tsx";
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
export function AttemptHistory({ filter: chosen, onFilter, organizationId }: AttemptHistoryProps) {
  const isOperator = isOperatorRole(useAccount().role);
  const source = useAttemptSource();
  const filter = organizationId === undefined ? chosen : { ...chosen, organization: organizationId };
  const [opened, setOpened] = useState<Attempt>();
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
      <Loaded
        query={query}
        rows={10}
        isEmpty={(attempts) => attempts.length === 0}
        empty={<NoAttempts isFiltered={Object.keys(chosen).length > 0} onClear={() => onFilter({})} />}
      >
        {(attempts) => (
          <AttemptTable
            attempts={attempts}
            organizationOf={isOperator && organizationId === undefined ? organizationOf : undefined}
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
