import { Button, Group, SegmentedControl } from "@mantine/core";
import { IconDatabaseOff, IconPlus, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useOpens } from "../../app/opens.ts";
import { useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Total } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { sortedRows } from "../../components/sorted-rows.ts";
import { catalogueQuery } from "./api.ts";
import { ENTRY_COLUMNS, ENTRY_SORTS } from "./entry-columns.tsx";
import { FamilyForm } from "./family-form.tsx";
import { type CatalogueFilter, matches } from "./filter.ts";

const route = getRouteApi("/signed-in/catalogue");

export function Catalogue() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const catalogue = useQuery(catalogueQuery);
  const [isAdding, setIsAdding] = useState(false);
  useOpens("create", () => setIsAdding(true));
  const setFilter = (search: CatalogueFilter) => void navigate({ search, replace: true });
  const addButton = useAccount().role === "operator" && (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setIsAdding(true)}>
      Add family
    </Button>
  );
  const { sort = "name" } = filter;
  const rows = useMemo(() => {
    const found = catalogue.data?.filter((entry) => matches(entry, filter));
    return (
      found &&
      sortedRows(
        found.map((entry) => ({ ...entry, id: entry.family.base })),
        sort,
        ENTRY_SORTS,
      )
    );
  }, [catalogue.data, filter, sort]);
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
        {rows && <Total count={rows.length} noun="family" />}
      </Group>
      <DataTable
        label="Families"
        query={{ ...catalogue, data: rows }}
        placeholders={6}
        columns={ENTRY_COLUMNS}
        linkOf={({ id }) => ({ to: "/catalogue/$base", params: { base: id } })}
        sort={{ current: sort, onChange: (next) => setFilter({ ...filter, sort: next }) }}
        empty={
          catalogue.data?.length === 0 ? (
            <EmptyState
              icon={IconDatabaseOff}
              title="The catalogue is empty"
              text="Add a family, then a version of it, and publish its first build."
              action={addButton}
            />
          ) : (
            <NothingFound filter={filter} onClear={() => setFilter({})} />
          )
        }
      />
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

function withShow({ show: _, ...others }: CatalogueFilter, show: string): CatalogueFilter {
  return { ...others, ...(show !== "all" && { show: show as NonNullable<CatalogueFilter["show"]> }) };
}
