import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Button, Group } from "@mantine/core";
import { IconBuilding, IconPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatCount } from "../../components/format.ts";
import { HiddenRowsSwitch } from "../../components/hidden-rows-switch.tsx";
import { Page } from "../../components/page.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { CreateOrganizationDialog } from "./create-dialog.tsx";
import type { OrganizationFilter } from "./filter.ts";
import { organizationsQuery } from "./queries.ts";

/** There can be thousands, so only the first ones are shown. */
const STEP = 100;

const route = getRouteApi("/signed-in/organizations");

export function Organizations() {
  const { role } = useAccount();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const organizations = useQuery(organizationsQuery);
  const all = organizations.data ?? [];
  const found = all.filter((each) => matches(each, filter));
  const [shown, setShown] = useState(STEP);
  const more = found.length - shown;
  const [isCreating, setIsCreating] = useState(false);
  const setFilter = (search: OrganizationFilter) => void navigate({ search, replace: true });
  const createButton = isManagerRole(role) && (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setIsCreating(true)}>
      Add organization
    </Button>
  );
  return (
    <Page
      title="Organizations"
      description="Your customers: who holds licences and keys, and whose people sign in."
      actions={createButton}
    >
      <Group gap="md">
        <SearchInput
          label="Search organizations"
          placeholder="Search by name or id"
          value={filter.q}
          onChange={(q) => setFilter({ ...filter, q })}
        />
        <HiddenRowsSwitch
          count={all.filter(({ archived }) => archived).length}
          noun="archived organization"
          checked={filter.archived ?? false}
          onChange={(archived) => setFilter({ ...filter, archived })}
        />
      </Group>
      <DataTable
        label="Organizations"
        query={{ ...organizations, data: organizations.data && found.slice(0, shown) }}
        columns={COLUMNS}
        linkOf={({ id }) => ({ to: "/organizations/$id", params: { id } })}
        more={
          more > 0 && {
            label: `Show ${Math.min(more, STEP)} of ${formatCount(more)} more`,
            onClick: () => setShown(shown + STEP),
          }
        }
        empty={
          all.length === 0 ? (
            <EmptyState
              icon={IconBuilding}
              title="No organizations yet"
              text="Add your first customer, then grant a licence and create a key."
              action={createButton}
            />
          ) : (
            <EmptyState
              icon={IconSearch}
              title="No organization matches"
              text="Try another word, or show archived organizations too."
            />
          )
        }
      />
      {isCreating && <CreateOrganizationDialog onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

const COLUMNS: Column<OperatorOrganization>[] = [
  { heading: "Name", cell: ({ name }) => name },
  {
    heading: "Status",
    w: 120,
    cell: ({ archived }) => (
      <StatusBadge tone={archived ? "neutral" : "good"}>{archived ? "Archived" : "Active"}</StatusBadge>
    ),
  },
  { heading: "Added", w: 150, visibleFrom: "xs", cell: ({ created }) => <Time value={created} show="date" /> },
];

function matches({ id, name, archived }: OperatorOrganization, filter: OrganizationFilter): boolean {
  if (archived && !filter.archived) return false;
  const words = (filter.q ?? "").toLowerCase().split(/\s+/);
  return words.every((word) => `${name} ${id}`.toLowerCase().includes(word));
}
