import { Button, Text } from "@mantine/core";
import { IconFileText, IconPlus, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { describeActor } from "../../components/actor.ts";
import { DataTable, TwoLines } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { plural } from "../../components/format.ts";
import { ListControls, useList } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { AddTermsDialog } from "./add-dialog.tsx";
import { TERMS_KEY } from "./queries.ts";

/** Every version of every document, for operators. */
export function AllTerms() {
  const canChange = isManagerRole(useAccount().role);
  const [isAdding, setIsAdding] = useState(false);
  const list = useList({ queryKey: [...TERMS_KEY, "list"], source: api.terms, defaultSort: "-created" });
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
      <ListControls list={list} noun="terms" placeholder="Search by name or title" />
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
        minWidth={560}
        stacks
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
