import { Button, Group, Text } from "@mantine/core";
import { IconReportAnalytics } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { isOperatorRole, useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { FactCards } from "../../components/fact-cards.tsx";
import { FilterBar, SelectFilter } from "../../components/filter-bar.tsx";
import { formatBytes, formatCount } from "../../components/format.ts";
import { ListControls, useList } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { OrganizationName } from "../organizations/organization-name.tsx";
import { usageApi } from "./api.ts";
import { columnsOf, formatMonth } from "./columns.tsx";
import { parseUsageFilter, periodOf, recentMonths } from "./filter.ts";

const route = getRouteApi("/signed-in/usage");

const VIEWS = [
  { value: "day", label: "By day" },
  { value: "database", label: "By database" },
];

/** Shows what the person's organization downloaded, or to operators what all organizations did. */
export function Usage() {
  const isOperator = isOperatorRole(useAccount().role);
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changes: Record<string, string | undefined>) =>
    void navigate({ search: parseUsageFilter({ ...filter, ...changes, sort: undefined }), replace: true });
  const source = isOperator ? usageApi.all : usageApi.own;
  const period = periodOf(filter);
  const parameters = { ...period, ...(isOperator && { org: filter.organization }) };
  const search = isOperator ? filter.q : undefined;
  const list = useList({
    queryKey: ["usage", isOperator],
    source,
    filter: parameters,
    defaultSort: period.by === "database" ? "database" : "-period",
  });
  const { sort, ...table } = list.table;
  return (
    <Page
      title="Usage"
      description={
        isOperator
          ? "What organizations downloaded, without samples. The numbers of a closed month never change."
          : "What your organization downloaded, without samples. The numbers of a closed month never change."
      }
      actions={<ExportButton url={source.url({ ...parameters, search, format: "csv" })} />}
    >
      {isOperator && filter.organization === undefined && (
        <ListControls list={{ ...list, total: undefined }} noun="organization" placeholder="Search by organization" />
      )}
      {isOperator && filter.organization !== undefined && (
        <Group>
          <Text fw={600}>
            <OrganizationName id={filter.organization} />
          </Text>
          <Button variant="default" size="xs" onClick={() => change({ organization: undefined })}>
            Show all organizations
          </Button>
        </Group>
      )}
      <FilterBar>
        <SelectFilter label="Show" all="By month" value={filter.by} options={VIEWS} onChange={(by) => change({ by })} />
        <SelectFilter
          label="Month"
          all={filter.by === "day" ? "This month" : "Last twelve months"}
          value={filter.month}
          options={recentMonths().map((month) => ({ value: month, label: formatMonth(month) }))}
          onChange={(month) => change({ month })}
        />
      </FilterBar>
      <Totals url={source.url({ ...parameters, search, limit: 1 })} />
      <DataTable
        label="Usage"
        {...table}
        {...(isOperator && { sort })}
        columns={columnsOf(period.by, isOperator)}
        empty={
          <EmptyState
            icon={IconReportAnalytics}
            title="No downloads in this period"
            text="Choose another month. New downloads appear here within two minutes."
          />
        }
      />
    </Page>
  );
}

/** The sums of all lines, and when they were counted. */
function Totals({ url }: { url: string }) {
  const { data } = useQuery({ queryKey: ["usage", "totals", url], queryFn: () => usageApi.facts(url) });
  if (!data) return null;
  const { first_downloads, repeats, refused, bytes, saved_bytes } = data.totals;
  return (
    <FactCards
      facts={{
        "New builds": formatCount(first_downloads),
        Repeats: formatCount(repeats),
        Refused: formatCount(refused),
        Bytes: formatBytes(bytes),
        "Saved by patches": formatBytes(saved_bytes),
        Counted: data.updated ? <Time value={data.updated} /> : "Not yet",
      }}
    />
  );
}
