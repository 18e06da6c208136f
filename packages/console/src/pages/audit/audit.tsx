import type { AuditEntry, AuditQuery } from "@dbdepot/contract/operator/audit";
import { Button, Text } from "@mantine/core";
import { IconClipboardList } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { list } from "../../app/api.ts";
import { describeActor } from "../../components/actor.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { FilterBar, SelectFilter, TextFilter } from "../../components/filter-bar.tsx";
import { NewerButton, useLiveList } from "../../components/live-list.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { boundsOf, isOpen } from "../../components/period.ts";
import { PeriodFilter } from "../../components/period-filter.tsx";
import { Time } from "../../components/time.tsx";
import { RowButton, VirtualList } from "../../components/virtual-list.tsx";
import { useOrganizationName } from "../organizations/organization-name.tsx";
import { describeAction, NOUN_OPTIONS } from "./actions.ts";
import classes from "./audit.module.css";
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
      <Loaded
        query={query}
        rows={10}
        isEmpty={(entries) => entries.length === 0}
        empty={<NoEntries onClear={() => setFilter({})} />}
      >
        {(entries) => (
          <VirtualList
            label="Changes"
            items={entries}
            columns={classes.columns}
            isLoadingMore={isLoadingMore}
            onEnd={loadMore}
            head={
              <>
                <span>Time</span>
                <span>Change</span>
                <span className={classes.wide}>Who</span>
                <span className={classes.wide}>Subject</span>
              </>
            }
            row={(entry) => <EntryCells entry={entry} onOpen={() => setOpened(entry)} />}
          />
        )}
      </Loaded>
      <EntryDrawer entry={opened} subject={opened && <Subject entry={opened} />} onClose={() => setOpened(undefined)} />
    </Page>
  );
}

/** The name of what was changed. */
function Subject({ entry }: { entry: AuditEntry }) {
  let organizationId: string | undefined;
  describeSubject(entry, (id) => {
    organizationId = id;
    return id;
  });
  const name = useOrganizationName(organizationId);
  return <>{describeSubject(entry, () => name)}</>;
}

function EntryCells({ entry, onOpen }: { entry: AuditEntry; onOpen: () => void }) {
  return (
    <>
      <span>
        <RowButton onClick={onOpen}>
          <Time value={entry.created} show="full" />
        </RowButton>
      </span>
      <Text component="span" fw={500} truncate>
        {describeAction(entry.action)}
      </Text>
      <Text component="span" className={classes.wide ?? ""} truncate>
        {describeActor(entry.actor)}
      </Text>
      <Text component="span" className={classes.wide ?? ""} c="dimmed" truncate>
        <Subject entry={entry} />
      </Text>
    </>
  );
}

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
