import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { formatBytes, formatCount } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { Time } from "../../components/time.tsx";
import { formatList, sizeOf } from "../databases/formats.ts";
import { AccessBadge, ArchivedBadge } from "./access.tsx";
import type { CatalogueEntry } from "./api.ts";
import classes from "./catalogue.module.css";

export type EntryRow = CatalogueEntry & { id: string };

/** Each version has a line in every column but the first. */
export const ENTRY_COLUMNS: Column<EntryRow>[] = [
  {
    heading: "Family",
    sort: "name",
    min: 190,
    cell: ({ family: { name, base } }) => <TwoLines detail={<code>{base}</code>}>{name}</TwoLines>,
  },
  {
    heading: "Access",
    w: 150,
    priority: 3,
    cell: ({ family }) => (
      <Group gap={4}>
        <AccessBadge family={family} />
        {family.archived && <ArchivedBadge />}
      </Group>
    ),
  },
  {
    heading: "Versions",
    w: 150,
    cell: ({ versions }) =>
      versions.length === 0 ? (
        <Text c="dimmed">No version yet</Text>
      ) : (
        linePer(versions, ({ version, formats }) => (
          <>
            <Text span inherit fw={500}>
              v{version}
            </Text>{" "}
            <Text span inherit c="dimmed">
              {formatList(formats)}
            </Text>
          </>
        ))
      ),
  },
  { heading: "Published", sort: "-published", min: 210, cell: ({ versions }) => linePer(versions, publishedOf) },
  {
    heading: "Rows",
    sort: "-rows",
    w: 120,
    ta: "right",
    cell: ({ versions }) => linePer(versions, ({ current_build: build }) => build && formatCount(build.entries)),
  },
  {
    heading: "Size",
    w: 110,
    ta: "right",
    cell: ({ versions }) => linePer(versions, ({ current_build: build }) => build && formatBytes(sizeOf(build))),
  },
];

/** The value that each heading sorts by. */
export const ENTRY_SORTS = {
  name: ({ family }: EntryRow) => family.name.toLowerCase(),
  published: ({ versions }: EntryRow) =>
    versions
      .flatMap(({ current_build: build }) => build?.published ?? [])
      .sort()
      .at(-1),
  rows: ({ versions }: EntryRow) => versions.findLast(({ current_build: build }) => build)?.current_build?.entries,
};

function linePer(versions: readonly ListedVersion[], show: (version: ListedVersion) => ReactNode): ReactNode {
  return versions.map((version) => (
    <div key={version.id} className={classes.line}>
      {show(version)}
    </div>
  ));
}

function publishedOf({ current_build: build, overdue, planned, archived }: ListedVersion): ReactNode {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text span inherit {...(!build && { c: "dimmed" })}>
        {build?.published ? <Time value={build.published} /> : planned ? "Planned" : "No build"}
      </Text>
      {overdue && <StatusBadge tone="bad">Overdue</StatusBadge>}
      {archived && <ArchivedBadge />}
    </Group>
  );
}
