import { Button, Group, SegmentedControl } from "@mantine/core";
import { IconDatabaseOff, IconPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount } from "../../app/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { FamilyList } from "../databases/family-list.tsx";
import { catalogueQuery } from "./api.ts";
import { EntryRow } from "./entry-row.tsx";
import { FamilyForm } from "./family-form.tsx";
import { type CatalogueFilter, matches } from "./filter.ts";

const route = getRouteApi("/signed-in/catalogue");

export function Catalogue() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const catalogue = useQuery(catalogueQuery);
  const [isAdding, setIsAdding] = useState(false);
  const setFilter = (search: CatalogueFilter) => void navigate({ search, replace: true });
  const addButton = useAccount().role === "operator" && (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setIsAdding(true)}>
      Add family
    </Button>
  );
  return (
    <Page
      title="Catalogue"
      description="Every family with its versions and current builds, as you publish them."
      actions={addButton}
    >
      <Group gap="sm">
        <SearchInput
          label="Search the catalogue"
          placeholder="Search by name, id or content"
          value={filter.q}
          onChange={(q) => setFilter({ ...filter, q })}
        />
        <SegmentedControl
          aria-label="Filter by state"
          value={filter.show ?? "all"}
          onChange={(value) => setFilter(withShow(filter, value))}
          data={[
            { value: "all", label: "All" },
            { value: "overdue", label: "Overdue" },
            { value: "archived", label: "Archived" },
          ]}
        />
      </Group>
      <Loaded
        query={catalogue}
        rows={6}
        isEmpty={(entries) => entries.length === 0}
        empty={
          <EmptyState
            icon={IconDatabaseOff}
            title="The catalogue is empty"
            text="Add a family, then a version of it, and publish its first build."
            action={addButton}
          />
        }
      >
        {(entries) => {
          const found = entries.filter((entry) => matches(entry, filter));
          if (found.length === 0) return <NothingFound filter={filter} onClear={() => setFilter({})} />;
          return (
            <FamilyList>
              {found.map((entry) => (
                <EntryRow key={entry.family.base} entry={entry} />
              ))}
            </FamilyList>
          );
        }}
      </Loaded>
      {isAdding && (
        <FamilyForm
          edited={undefined}
          onClose={() => setIsAdding(false)}
          onSaved={({ base }) => void navigate({ to: "/catalogue/$base", params: { base } })}
        />
      )}
    </Page>
  );
}

function NothingFound({ filter, onClear }: { filter: CatalogueFilter; onClear: () => void }) {
  const isFresh = filter.show === "overdue" && !filter.q;
  return (
    <EmptyState
      icon={IconSearch}
      title={isFresh ? "No build is overdue" : "No family matches"}
      text={
        isFresh
          ? "Every build is as recent as the schedule in its metadata promises."
          : "Try another word, or look at the whole catalogue."
      }
      action={
        <Button variant="default" onClick={onClear}>
          Show everything
        </Button>
      }
    />
  );
}

function withShow({ q }: CatalogueFilter, show: string): CatalogueFilter {
  return { ...(q && { q }), ...(show !== "all" && { show: show as NonNullable<CatalogueFilter["show"]> }) };
}
