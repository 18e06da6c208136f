import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Button, Group, Switch, Table, TextInput } from "@mantine/core";
import { IconBuilding, IconPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatCount, plural } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { RowLink } from "../../components/row-link.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import { CreateOrganizationDialog } from "./create-dialog.tsx";
import type { OrganizationFilter } from "./filter.ts";
import { organizationsQuery } from "./queries.ts";

const route = getRouteApi("/signed-in/organizations");

export function Organizations() {
  const { role } = useAccount();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const organizations = useQuery(organizationsQuery);
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
      <Loaded
        query={organizations}
        isEmpty={(all) => all.length === 0}
        empty={
          <EmptyState
            icon={IconBuilding}
            title="No organizations yet"
            text="Add your first customer, then grant a licence and create a key."
            action={createButton}
          />
        }
      >
        {(all) => {
          const archived = all.filter((each) => each.archived).length;
          const found = all.filter((each) => matches(each, filter));
          return (
            <>
              <Group gap="md">
                <TextInput
                  aria-label="Search organizations"
                  placeholder="Search by name or id"
                  leftSection={<IconSearch size={16} stroke={1.6} />}
                  value={filter.q ?? ""}
                  onChange={({ currentTarget }) => setFilter({ ...filter, q: currentTarget.value })}
                  style={{ flex: "1 1 240px" }}
                />
                {archived > 0 && (
                  <Switch
                    label={`Show ${plural(archived, "archived organization")}`}
                    checked={filter.archived ?? false}
                    onChange={({ currentTarget }) => setFilter({ ...filter, archived: currentTarget.checked })}
                  />
                )}
              </Group>
              {found.length === 0 ? (
                <EmptyState
                  icon={IconSearch}
                  title="No organization matches"
                  text="Try another word, or show archived organizations too."
                />
              ) : (
                <OrganizationsTable organizations={found} />
              )}
            </>
          );
        }}
      </Loaded>
      {isCreating && <CreateOrganizationDialog onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

const STEP = 100;

/** Shows the first ones, because there can be thousands. */
function OrganizationsTable({ organizations }: { organizations: OperatorOrganization[] }) {
  const [shown, setShown] = useState(STEP);
  const more = organizations.length - shown;
  return (
    <>
      <TableCard label="Organizations">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th w={120}>Status</Table.Th>
            <Table.Th w={150} visibleFrom="xs">
              Added
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {organizations.slice(0, shown).map(({ id, name, archived, created }) => (
            <RowLink key={id} to="/organizations/$id" params={{ id }} label={name}>
              <Table.Td>
                {archived ? (
                  <StatusBadge tone="neutral">Archived</StatusBadge>
                ) : (
                  <StatusBadge tone="good">Active</StatusBadge>
                )}
              </Table.Td>
              <Table.Td visibleFrom="xs">
                <Time value={created} show="date" />
              </Table.Td>
            </RowLink>
          ))}
        </Table.Tbody>
      </TableCard>
      {more > 0 && (
        <Button variant="default" mx="auto" onClick={() => setShown(shown + STEP)}>
          Show {Math.min(more, STEP)} of {formatCount(more)} more
        </Button>
      )}
    </>
  );
}

function matches({ id, name, archived }: OperatorOrganization, filter: OrganizationFilter): boolean {
  if (archived && !filter.archived) return false;
  const words = (filter.q ?? "").toLowerCase().split(/\s+/);
  return words.every((word) => `${name} ${id}`.toLowerCase().includes(word));
}
