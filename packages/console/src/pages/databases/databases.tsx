import { Button, Group, SegmentedControl } from "@mantine/core";
import { IconDatabaseOff, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { TermsBanner } from "../terms/terms-banner.tsx";
import { currentBuildsQuery, databasesQuery } from "./api.ts";
import { DatabaseRow } from "./database-row.tsx";
import { FamilyList } from "./family-list.tsx";
import type { Filter } from "./filter.ts";
import { columnsFound, matches } from "./search.ts";

const route = getRouteApi("/signed-in/databases");

export function Databases() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const databases = useQuery(databasesQuery);
  const { data: builds } = useQuery(currentBuildsQuery);
  const setFilter = (search: Filter) => void navigate({ search, replace: true });
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
      </Group>
      <Loaded
        query={databases}
        rows={6}
        isEmpty={({ databases }) => databases.length === 0}
        empty={
          <EmptyState
            icon={IconDatabaseOff}
            title="The catalogue is empty"
            text="Databases appear here as soon as your vendor publishes them."
          />
        }
      >
        {({ databases }) => {
          const found = databases.filter((database) => matches(database, builds, filter));
          if (found.length === 0) return <NothingFound onClear={() => setFilter({})} />;
          return (
            <FamilyList>
              {found.map((database) => (
                <DatabaseRow
                  key={database.base}
                  database={database}
                  builds={builds}
                  foundColumns={columnsFound(database, builds, filter)}
                />
              ))}
            </FamilyList>
          );
        }}
      </Loaded>
    </Page>
  );
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

function withStanding({ q }: Filter, standing: string): Filter {
  return { ...(q && { q }), ...(standing !== "all" && { standing: standing as NonNullable<Filter["standing"]> }) };
}
