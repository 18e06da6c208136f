import type { ListedOrganization } from "@dbdepot/contract/operator/organizations";
import { Button, Text } from "@mantine/core";
import { IconBuilding, IconPlus, IconSearch, IconUpload } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useOpens } from "../../app/opens.ts";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { formatCount } from "../../components/format.ts";
import { ListControls, useList } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";
import { LastTime, Time } from "../../components/time.tsx";
import { ORGANIZATIONS_KEY, organizationsApi } from "./api.ts";
import { CreateOrganizationDialog } from "./create-dialog.tsx";

export function Organizations() {
  const { role } = useAccount();
  const list = useList({
    queryKey: [...ORGANIZATIONS_KEY, "list"],
    source: organizationsApi.list,
    hiding: { state: "active" },
    defaultSort: "name",
  });
  const [isCreating, setIsCreating] = useState(false);
  useOpens("create", () => setIsCreating(true));
  const createButton = isManagerRole(role) && (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setIsCreating(true)}>
      Add organization
    </Button>
  );
  return (
    <Page
      title="Organizations"
      description="Your customers, with their licences, keys and people."
      actions={
        <>
          <ExportButton url={organizationsApi.exportUrl({ format: "csv" })} />
          {isManagerRole(role) && (
            <Button
              variant="default"
              leftSection={<IconUpload size={16} stroke={1.6} />}
              renderRoot={(props) => <Link to="/organizations/import" {...props} />}
            >
              Import
            </Button>
          )}
          {createButton}
        </>
      }
    >
      <ListControls
        list={list}
        noun="organization"
        placeholder="Search by name, id or external id"
        allLabel="Show archived organizations"
      />
      <DataTable
        label="Organizations"
        {...list.table}
        columns={COLUMNS}
        linkOf={({ id }) => ({ to: "/organizations/$id", params: { id } })}
        empty={
          list.isSearch || list.state.all ? (
            <EmptyState
              icon={IconSearch}
              title="No organization matches"
              text="Try another word, or show archived organizations too."
            />
          ) : (
            <EmptyState
              icon={IconBuilding}
              title="No organizations yet"
              text="Add your first customer, then grant a licence and create a key."
              action={createButton}
            />
          )
        }
      />
      {isCreating && <CreateOrganizationDialog onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

const COLUMNS: Column<ListedOrganization>[] = [
  {
    heading: "Name",
    sort: "name",
    min: 220,
    cell: ({ name, archived, external_id }) => (
      <>
        {name} {archived && <StatusBadge tone="neutral">Archived</StatusBadge>}
        {external_id && (
          <Text span inherit c="dimmed" ml={6}>
            {external_id}
          </Text>
        )}
      </>
    ),
  },
  { heading: "Licences", sort: "-licences", w: 120, priority: 3, cell: ({ licences }) => formatCount(licences) },
  { heading: "Keys", sort: "-keys", w: 95, priority: 3, cell: ({ keys }) => formatCount(keys) },
  {
    heading: "Last download",
    sort: "-last_download",
    w: 160,
    cell: ({ last_download }) => <LastTime value={last_download} />,
  },
  {
    heading: "Next end",
    sort: "next_end",
    w: 135,
    cell: ({ next_end }) => (next_end ? <Time value={next_end} /> : <Text c="dimmed">None</Text>),
  },
  {
    heading: "Added",
    sort: "-created",
    w: 140,
    priority: 3,
    cell: ({ created }) => <Time value={created} show="date" />,
  },
];
