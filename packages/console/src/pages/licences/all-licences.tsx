import type { OperatorLicence } from "@dbdepot/contract/operator/licences";
import { Text } from "@mantine/core";
import { IconCertificate, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar, SelectFilter } from "../../components/filter-bar.tsx";
import { formatDate } from "../../components/format.ts";
import { ListControls, useList } from "../../components/list.tsx";
import { Page } from "../../components/page.tsx";
import { DAY_MS } from "../../components/relative-time.ts";
import { StatusBadge, type Tone } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { TERMS } from "../../components/terms.ts";
import { Time } from "../../components/time.tsx";
import { familiesQuery } from "../catalogue/api.ts";
import { OrganizationName } from "../organizations/organization-name.tsx";
import { licencesApi } from "./api.ts";
import { KIND_NAMES, type LicenceFilter, parseLicenceFilter, STATE_NAMES, WITHIN_DAYS } from "./filter.ts";

const TONES: Record<OperatorLicence["state"], Tone> = { live: "good", upcoming: "warning", ended: "neutral" };

const route = getRouteApi("/signed-in/licences");

/** The licences of all organizations, for operators. */
export function AllLicences() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const { data: families = [] } = useQuery(familiesQuery);
  const list = useList({
    queryKey: ["licences", "all"],
    source: licencesApi.list,
    filter: {
      base: filter.base,
      redistribution: filter.kind,
      state: filter.state,
      ends_before: filter.within && endOf(filter.within),
    },
    defaultSort: "expires",
  });
  const change = (changes: Record<string, string | undefined>) =>
    void navigate({ search: parseLicenceFilter({ ...filter, ...changes }), replace: true });
  const isFiltered = Object.keys(filter).some((name) => name !== "sort");
  return (
    <Page title="Licences" description="The licences of all organizations: who may download what, and until when.">
      <ListControls list={list} noun="licence" placeholder="Search by organization or family" />
      <FilterBar>
        <SelectFilter
          label="State"
          all="All states"
          value={filter.state}
          options={optionsOf(STATE_NAMES)}
          onChange={(state) => change({ state })}
        />
        <SelectFilter
          label="Family"
          all="All families"
          value={filter.base}
          options={families.map(({ base, name }) => ({ value: base, label: name }))}
          onChange={(base) => change({ base })}
        />
        <SelectFilter
          label="Terms"
          all="All terms"
          value={filter.kind}
          options={optionsOf(KIND_NAMES)}
          onChange={(kind) => change({ kind })}
        />
        <SelectFilter
          label="Ending within"
          all="Any time"
          value={filter.within && String(filter.within)}
          options={WITHIN_DAYS.map((days) => ({ value: String(days), label: `${days} days` }))}
          onChange={(within) => change({ within })}
        />
      </FilterBar>
      <DataTable
        label="Licences"
        {...list.table}
        columns={COLUMNS}
        linkOf={({ organization_id: id }) => ({ to: "/organizations/$id", params: { id } })}
        empty={<NoLicences isFiltered={isFiltered} />}
      />
    </Page>
  );
}

/** The beginning of a day, so that the URL stays the same all day. */
function endOf(days: NonNullable<LicenceFilter["within"]>): string {
  return new Date(Date.now() + (days + 1) * DAY_MS).toISOString().slice(0, 10);
}

function optionsOf(names: Record<string, string>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}

const COLUMNS: Column<OperatorLicence>[] = [
  { heading: "Organization", sort: "organization", cell: ({ organization_id: id }) => <OrganizationName id={id} /> },
  {
    heading: "Family",
    sort: "base",
    cell: ({ base, redistribution }) => <TwoLines detail={TERMS[redistribution]}>{base}</TwoLines>,
  },
  {
    heading: "State",
    w: 130,
    cell: ({ state }) => <StatusBadge tone={TONES[state]}>{STATE_NAMES[state]}</StatusBadge>,
  },
  { heading: "Starts", sort: "starts", w: 140, priority: 3, cell: ({ starts }) => <ContractDate value={starts} /> },
  {
    heading: "Ends",
    sort: "expires",
    w: 170,
    cell: ({ expires, state }) =>
      expires ? (
        <TwoLines detail={state !== "ended" && <Time value={expires} />}>
          <ContractDate value={expires} />
        </TwoLines>
      ) : (
        <Text c="dimmed">No end</Text>
      ),
  },
  {
    heading: "Renews",
    w: 140,
    priority: 3,
    cell: ({ renews_at }) => (renews_at ? <ContractDate value={renews_at} /> : <Text c="dimmed">No</Text>),
  },
];

/** A date of a contract is the same in every time zone. */
function ContractDate({ value }: { value: string }) {
  return <time dateTime={value}>{formatDate(value.slice(0, 10))}</time>;
}

function NoLicences({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon={IconSearch} title="No licence matches" text="Try another word, or remove a filter." />
  ) : (
    <EmptyState
      icon={IconCertificate}
      title="No licences yet"
      text="Open an organization to grant its first licence."
    />
  );
}
