import type { Database } from "@dbdepot/contract/v2/catalogue";
import { Button, Group, SegmentedControl } from "@mantine/core";
import { IconDatabaseOff, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Total } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { sortedRows } from "../../components/sorted-rows.ts";
import { TermsBanner } from "../terms/terms-banner.tsx";
import { type CurrentBuildMap, currentBuildsQuery, databasesQuery } from "./api.ts";
import { DATABASE_COLUMNS, DATABASE_SORTS, type DatabaseRow } from "./database-columns.tsx";
import type { Filter } from "./filter.ts";
import { columnsFound, matches } from "./search.ts";

const route = getRouteApi("/signed-in/databases");

export function Databases() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const databases = useQuery(databasesQuery);
  const { data: builds } = useQuery(currentBuildsQuery);
  const setFilter = (search: Filter) => void navigate({ search, replace: true });
  const { sort = "name" } = filter;
  const rows = useMemo(() => {
    const found = databases.data?.databases.filter((database) => matches(database, builds, filter));
    return (
      found &&
      sortedRows(
        found.map((database) => rowOf(database, builds, filter)),
        sort,
        DATABASE_SORTS,
      )
    );
  }, [databases.data, builds, filter, sort]);
  return (
    <Page title="Databases" description="Everything in the catalogue, with what your organization is licensed for.">
      {databases.data && <TermsBanner databases={databases.data.databases} />}
      <Group gap="sm">
        <SearchInput
          label="Search databases"
          placeholder="Search by name, id or column"
          value={filter.q}
          onChange={(q) => setFilter({ ...filter, q })}
        />
        <SegmentedControl
          aria-label="Filter by licence"
          value={filter.standing ?? "all"}
          onChange={(value) => setFilter(withStanding(filter, value))}
          data={[
            { value: "all", label: "All" },
            { value: "available", label: "Available" },
            { value: "other", label: "Not licensed" },
          ]}
        />
        {rows && <Total count={rows.length} noun="database" />}
      </Group>
      <DataTable
        label="Databases"
        query={{ ...databases, data: rows }}
        placeholders={6}
        columns={DATABASE_COLUMNS}
        linkOf={({ id }) => ({ to: "/databases/$base", params: { base: id } })}
        sort={{ current: sort, onChange: (next) => setFilter({ ...filter, sort: next }) }}
        empty={
          databases.data?.databases.length === 0 ? (
            <EmptyState
              icon={IconDatabaseOff}
              title="The catalogue is empty"
              text="Databases appear here as soon as your vendor publishes them."
            />
          ) : (
            <NothingFound onClear={() => setFilter({})} />
          )
        }
      />
    </Page>
  );
}

function rowOf(database: Database, builds: CurrentBuildMap | undefined, filter: Filter): DatabaseRow {
  const newest = database.versions.findLast(({ id }) => builds?.has(id));
  return {
    id: database.base,
    database,
    build: builds && ((newest && builds.get(newest.id)) ?? null),
    foundColumns: columnsFound(database, builds, filter),
  };
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={IconSearch}
      title="No database matches"
      text="Try another word, or look at the whole catalogue."
      action={
        <Button variant="default" onClick={onClear}>
          Clear the filter
        </Button>
      }
    />
  );
}

function withStanding({ standing: _, ...others }: Filter, standing: string): Filter {
  return { ...others, ...(standing !== "all" && { standing: standing as NonNullable<Filter["standing"]> }) };
}
