import type { OwnTerms } from "@dbdepot/contract/console/terms";
import { Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type Column, DataTable, TwoLines } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Page } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { ownTermsQuery } from "./queries.ts";

const COLUMNS: Column<OwnTerms>[] = [
  {
    heading: "Document",
    cell: ({ id, title }) => (
      <TwoLines detail={<code>{id}</code>}>
        <Text fw={500}>{title}</Text>
      </TwoLines>
    ),
  },
  { heading: "Needed for", cell: ({ databases }) => databases.join(", ") || <Text c="dimmed">Nothing now</Text> },
  {
    heading: "Status",
    cell: ({ acceptance }) => (
      <StatusBadge tone={acceptance ? "good" : "warning"}>{acceptance ? "Accepted" : "Not accepted"}</StatusBadge>
    ),
  },
  {
    heading: "Accepted",
    cell: ({ acceptance }) =>
      acceptance ? (
        <TwoLines detail={acceptance.name || acceptance.email}>
          <Time value={acceptance.created} show="date" />
        </TwoLines>
      ) : (
        <Text c="dimmed">Not yet</Text>
      ),
  },
];

/** The terms of the organization's licences, for its people. */
export function OwnTermsList() {
  const { data, error, isFetching, refetch } = useQuery(ownTermsQuery);
  return (
    <Page title="Terms" description="What your organization has accepted, or has to accept before it can download.">
      <DataTable
        label="Terms"
        query={{ data: data?.terms, error, isFetching, refetch }}
        columns={COLUMNS}
        linkOf={({ id }) => ({ to: "/terms/$id", params: { id } })}
        minWidth={600}
        stacks
        empty={
          <EmptyState icon={IconFileText} title="No terms" text="None of your licences requires accepting terms." />
        }
      />
    </Page>
  );
}
