import type { UsageBy, UsageLine } from "@dbdepot/contract/v2/usage";
import { Text } from "@mantine/core";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";

/** A line, with the organization if an operator sees it. */
type ListedUsage = UsageLine & { id: string; organization_name?: string };

export function columnsOf(by: UsageBy, isOperator: boolean): (Column<ListedUsage> | false)[] {
  // Longer periods have the largest number on one day. The words in parentheses stay on one line.
  const perDay = by === "day" ? "" : " (most\u00a0in\u00a0a\u00a0day)";
  return [
    by === "database"
      ? { heading: "Database", sort: "database", cell: (line) => <DatabaseName line={line} /> }
      : { heading: by === "day" ? "Day" : "Month", sort: "-period", cell: ({ period }) => formatPeriod(period ?? "") },
    isOperator && {
      heading: "Organization",
      min: 150,
      sort: "organization",
      cell: ({ organization_name }) => organization_name,
    },
    {
      heading: "New builds",
      sort: "-downloads",
      ta: "right",
      w: 130,
      cell: ({ first_downloads }) => formatCount(first_downloads),
    },
    { heading: "Repeats", ta: "right", w: 100, cell: ({ repeats }) => formatCount(repeats) },
    { heading: "Refused", sort: "-refused", ta: "right", w: 115, cell: ({ refused }) => formatCount(refused) },
    { heading: "Bytes", sort: "-bytes", ta: "right", w: 110, cell: ({ bytes }) => formatBytes(bytes) },
    { heading: "Saved", sort: "-saved", ta: "right", w: 110, cell: ({ saved_bytes }) => formatBytes(saved_bytes) },
    { heading: `Keys${perDay}`, ta: "right", w: 125, priority: 3, cell: ({ keys }) => formatCount(keys) },
    {
      heading: `Addresses${perDay}`,
      ta: "right",
      w: 125,
      priority: 3,
      cell: ({ addresses }) => formatCount(addresses),
    },
    {
      heading: "State",
      w: 120,
      cell: ({ closed }) => <StatusBadge tone={closed ? "good" : "neutral"}>{closed ? "Closed" : "Open"}</StatusBadge>,
    },
  ];
}

function DatabaseName({ line: { dataset_id, format } }: { line: ListedUsage }) {
  return dataset_id ? (
    <>
      {dataset_id} <Text span c="dimmed">{`(${format})`}</Text>
    </>
  ) : (
    <Text c="dimmed">Unknown databases</Text>
  );
}

function formatPeriod(period: string): string {
  return period.length === "2027-01".length ? formatMonth(period) : formatDate(period);
}

/** "January 2027". */
export function formatMonth(month: string): string {
  return new Date(`${month}-01`).toLocaleDateString(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
}
