import type { AuditEntry, AuditQuery } from "@dbdepot/contract/operator/audit";
import { Button, Text } from "@mantine/core";
import { IconClipboardList } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { list } from "../../app/api.ts";
import { describeActor } from "../../components/actor.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { FilterBar, SelectFilter, TextFilter } from "../../components/filter-bar.tsx";
import { NewerButton, useLiveList } from "../../components/live-list.tsx";
import { Page } from "../../components/page.tsx";
import { boundsOf, isOpen } from "../../components/period.ts";
import { PeriodFilter } from "../../components/period-filter.tsx";
import type { Column } from "../../components/table-layout.ts";
import { FULL_TIME_WIDTH, Time } from "../../components/time.tsx";
import { useOrganizationName } from "../organizations/organization-name.tsx";
import { describeAction, NOUN_OPTIONS } from "./actions.ts";
import { EntryDrawer } from "./entry-drawer.tsx";
import { type AuditFilter, parseAuditFilter } from "./filter.ts";
import { describeSubject } from "./subject.ts";

const route = getRouteApi("/signed-in/audit");
const PAGE_SIZE = 500;

const auditLog = list<AuditEntry, AuditQuery>("/api/operator/audit", "entries");

export function Audit() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const setFilter = (search: AuditFilter) => void navigate({ search, replace: true });
  const change = (changes: Record<string, string | undefined>) =>
    setFilter(parseAuditFilter({ ...filter, ...changes }));
  const [opened, setOpened] = useState<AuditEntry>();
  const { action, actor, subject } = filter;
  const { from, to } = boundsOf(filter);
  const matching = { action, actor, subject, since: from, until: to };
  const { query, isLoadingMore, loadMore, newerCount, showNewer } = useLiveList({
    queryKey: ["audit", matching],
    load: auditLog.load,
    url: auditLog.url({ ...matching, limit: PAGE_SIZE }),
    urlSince: isOpen(filter) ? (time) => auditLog.url({ ...matching, since: time, limit: PAGE_SIZE }) : undefined,
  });
  return (
    <Page
      title="Audit log"
      description="Who changed what, from the console, the API and the command line."
      actions={<ExportButton url={auditLog.url({ ...matching, format: "csv" })} />}
    >
      <FilterBar>
        <PeriodFilter
          value={filter}
          onChange={({ days, from, to }) => setFilter(parseAuditFilter({ ...filter, days, from, to }))}
        />
        <SelectFilter
          label="Changes of"
          all="Everything"
          value={action}
          options={NOUN_OPTIONS}
          onChange={(noun) => change({ action: noun })}
        />
        <TextFilter
          label="Who"
          placeholder="account:ada@example.com"
          value={actor}
          onChange={(who) => change({ actor: who })}
        />
        <TextFilter
          label="Subject"
          placeholder="Id, name or prefix"
          value={subject}
          onChange={(what) => change({ subject: what })}
        />
      </FilterBar>
      <NewerButton count={newerCount} noun="change" onShow={showNewer} />
      <DataTable
        label="Changes"
        query={query}
        placeholders={10}
        columns={COLUMNS}
        onOpen={setOpened}
        onEnd={loadMore}
        isLoadingMore={isLoadingMore}
        empty={<NoEntries onClear={() => setFilter({})} />}
      />
      <EntryDrawer entry={opened} subject={opened && <Subject entry={opened} />} onClose={() => setOpened(undefined)} />
    </Page>
  );
}

/** The name of what was changed. */
function Subject({ entry, truncate = false }: { entry: AuditEntry; truncate?: boolean }) {
  let organizationId: string | undefined;
  describeSubject(entry, (id) => {
    organizationId = id;
    return id;
  });
  const name = useOrganizationName(organizationId);
  const text = describeSubject(entry, () => name);
  if (!truncate) return <>{text}</>;
  return (
    <Text truncate title={text}>
      {text}
    </Text>
  );
}

const COLUMNS: Column<AuditEntry>[] = [
  { heading: "Time", w: FULL_TIME_WIDTH, cell: ({ created }) => <Time value={created} show="full" /> },
  {
    heading: "Change",
    min: 190,
    cell: ({ action }) => (
      <Text fw={500} truncate title={describeAction(action)}>
        {describeAction(action)}
      </Text>
    ),
  },
  {
    heading: "Who",
    min: 160,
    cell: ({ actor }) => (
      <Text truncate title={describeActor(actor)}>
        {describeActor(actor)}
      </Text>
    ),
  },
  { heading: "Subject", min: 160, c: "dimmed", cell: (entry) => <Subject entry={entry} truncate /> },
];

function NoEntries({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={IconClipboardList}
      title="No change matches"
      text="Choose a longer period, or remove a filter."
      action={
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      }
    />
  );
}
