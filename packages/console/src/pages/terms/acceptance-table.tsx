import { Text } from "@mantine/core";
import { IconSearch, IconSignature } from "@tabler/icons-react";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ListControls, useList } from "../../components/list.tsx";
import { TwoLines } from "../../components/table-row.tsx";
import { Time } from "../../components/time.tsx";
import { TERMS_KEY, termsApi } from "./api.ts";

interface AcceptanceTableProps {
  /** Undefined for those of all organizations. */
  organizationId?: string;
  /** Undefined for all terms. */
  terms?: string;
  emptyText: string;
}

/** Shows operators who accepted which terms. */
export function AcceptanceTable({ organizationId, terms, emptyText }: AcceptanceTableProps) {
  const list = useList({
    queryKey: [...TERMS_KEY, "acceptances", organizationId, terms],
    source: termsApi.acceptances,
    filter: { org: organizationId, terms },
    defaultSort: "-created",
  });
  return (
    <>
      <ListControls
        list={list}
        noun="acceptance"
        placeholder={organizationId ? "Search by terms or person" : "Search by organization or person"}
      />
      <DataTable
        label="Acceptances"
        {...list.table}
        columns={[
          organizationId === undefined && {
            heading: "Organization",
            sort: "organization",
            cell: ({ organization_name: name }) => <Text fw={500}>{name}</Text>,
          },
          terms === undefined && {
            heading: "Terms",
            sort: "terms",
            min: 150,
            cell: ({ terms: id }) => <code>{id}</code>,
          },
          {
            heading: "By",
            cell: ({ name, email }) => <TwoLines detail={name && email}>{name || email}</TwoLines>,
          },
          { heading: "From", w: 150, priority: 3, cell: ({ address }) => <code>{address}</code> },
          {
            heading: "Accepted",
            sort: "-created",
            w: 220,
            cell: ({ created }) => <Time value={created} show="full" />,
          },
        ]}
        linkOf={(row) =>
          organizationId === undefined
            ? { to: "/organizations/$id", params: { id: row.organization_id }, search: { tab: "terms" } }
            : { to: "/terms/$id", params: { id: row.terms } }
        }
        empty={
          list.isSearch ? (
            <EmptyState icon={IconSearch} title="No acceptance matches" text="Try another word." />
          ) : (
            <EmptyState icon={IconSignature} title="Nothing accepted yet" text={emptyText} />
          )
        }
      />
    </>
  );
}
