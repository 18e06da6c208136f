import type { OwnTerms } from "@dbdepot/contract/console/terms";
import { Button, Text } from "@mantine/core";
import { IconFileText, IconPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isManagerRole, isOperatorRole, useAccount } from "../../app/session.ts";
import { describeActor } from "../../components/actor.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { plural } from "../../components/format.ts";
import { ListControls, useList } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { Time } from "../../components/time.tsx";
import { AddTermsDialog } from "./add-dialog.tsx";
import { ownTermsQuery, TERMS_KEY, termsApi } from "./api.ts";

/** Shows the terms of the person's organization, or all terms for operators. */
export function Terms() {
  return isOperatorRole(useAccount().role) ? <AllTerms /> : <OwnTermsList />;
}

/** Every version of every document, for operators. */
function AllTerms() {
  const canChange = isManagerRole(useAccount().role);
  const [isAdding, setIsAdding] = useState(false);
  const list = useList({ queryKey: [...TERMS_KEY, "list"], source: termsApi.list, defaultSort: "-created" });
  const addButton = canChange && (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setIsAdding(true)}>
      Add terms
    </Button>
  );
  return (
    <Page
      title="Terms"
      description="Documents that customers must accept before they can download with a licence that requires them."
      actions={addButton}
    >
      <ListControls list={list} noun="term" placeholder="Search by name or title" />
      <DataTable
        label="Terms"
        {...list.table}
        columns={[
          {
            heading: "Document",
            sort: "name",
            cell: ({ id, title }) => (
              <TwoLines detail={<code>{id}</code>}>
                <Text fw={500}>{title}</Text>
              </TwoLines>
            ),
          },
          {
            heading: "Added",
            sort: "-created",
            cell: ({ created, created_by }) => (
              <TwoLines detail={created_by && describeActor(created_by)}>
                <Time value={created} show="date" />
              </TwoLines>
            ),
          },
          {
            heading: "Accepted by",
            cell: ({ acceptances }) =>
              acceptances > 0 ? plural(acceptances, "organization") : <Text c="dimmed">None yet</Text>,
          },
        ]}
        linkOf={({ id }) => ({ to: "/terms/$id", params: { id } })}
        empty={
          list.isSearch ? (
            <EmptyState icon={IconSearch} title="No terms match" text="Try another word." />
          ) : (
            <EmptyState
              icon={IconFileText}
              title="No terms yet"
              text="Add a document, then choose it when you grant or renew a licence."
            />
          )
        }
      />
      {isAdding && <AddTermsDialog onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

const OWN_COLUMNS: Column<OwnTerms>[] = [
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
function OwnTermsList() {
  const { data, error, isFetching, refetch } = useQuery(ownTermsQuery);
  return (
    <Page title="Terms" description="What your organization has accepted, or has to accept before it can download.">
      <DataTable
        label="Terms"
        query={{ data: data?.terms, error, isFetching, refetch }}
        columns={OWN_COLUMNS}
        linkOf={({ id }) => ({ to: "/terms/$id", params: { id } })}
        empty={
          <EmptyState icon={IconFileText} title="No terms" text="None of your licences requires accepting terms." />
        }
      />
    </Page>
  );
}
