import type { CurrentBuild } from "@dbdepot/contract/console/databases";
import type { Format } from "@dbdepot/contract/shared/formats";
import type { Database } from "@dbdepot/contract/v2/catalogue";
import { Skeleton, Text } from "@mantine/core";
import { Fragment } from "react";
import { formatBytes, formatDate, plural } from "../../components/format.ts";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { LicenceTerm, StandingBadge } from "./standing.tsx";

export interface DatabaseRow {
  id: string;
  database: Database;
  /** The build of the newest version that has one. Undefined while it loads, and null if there is none. */
  build: CurrentBuild | null | undefined;
  /** The columns that were searched for. */
  foundColumns: readonly string[];
}

export const DATABASE_COLUMNS: Column<DatabaseRow>[] = [
  {
    heading: "Database",
    sort: "name",
    min: 180,
    cell: ({ database: { name, base, versions } }) => (
      <TwoLines
        detail={
          <>
            <code>{base}</code> · {plural(versions.length, "version")}
          </>
        }
      >
        {name}
      </TwoLines>
    ),
  },
  { heading: "About", min: 260, priority: 3, isProse: true, cell: (row) => <About row={row} /> },
  { heading: "Licence", w: 190, cell: ({ database }) => <Licence database={database} /> },
  {
    heading: "Updated",
    sort: "-updated",
    w: 130,
    cell: ({ build }) => (build ? formatDate(build.updated) : build === undefined && <Skeleton height={16} />),
  },
  { heading: "Contents", sort: "-rows", w: 190, cell: ({ build }) => <Contents build={build} /> },
];

/** The value that each heading sorts by. */
export const DATABASE_SORTS = {
  name: ({ database }: DatabaseRow) => database.name.toLowerCase(),
  updated: ({ build }: DatabaseRow) => build?.updated,
  rows: ({ build }: DatabaseRow) => build?.entries,
};

function About({ row: { database, foundColumns } }: { row: DatabaseRow }) {
  return (
    <>
      <Text c="dimmed" lineClamp={2} title={database.summary}>
        {database.summary}
      </Text>
      {foundColumns.length > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {foundColumns.length === 1 ? "Column" : "Columns"}{" "}
          {foundColumns.map((column, index) => (
            <Fragment key={column}>
              {index > 0 && ", "}
              <code>{column}</code>
            </Fragment>
          ))}
        </Text>
      )}
    </>
  );
}

function Licence({ database }: { database: Database }) {
  return (
    <>
      <StandingBadge database={database} />
      {database.standing !== "unlicensed" && (
        <Text size="sm" c="dimmed" mt={2}>
          <LicenceTerm database={database} />
        </Text>
      )}
    </>
  );
}

function Contents({ build }: Pick<DatabaseRow, "build">) {
  if (build === undefined) return <Skeleton height={16} />;
  if (build === null) return <Text c="dimmed">No build at the moment</Text>;
  const { entries, size, sample_entries: sampleEntries, sample_size: sampleSize = {} } = build;
  return (
    <>
      <Text className="tabular">{extentOf(entries, size)}</Text>
      {sampleEntries !== undefined && (
        <Text size="sm" c="dimmed" className="tabular">
          Sample: {extentOf(sampleEntries, sampleSize)}
        </Text>
      )}
    </>
  );
}

/** "96 rows · 3.11 kB", with the size of the largest file. */
function extentOf(entries: number, size: Partial<Record<Format, number>>): string {
  return `${plural(entries, "row")} · ${formatBytes(Math.max(0, ...Object.values(size)))}`;
}
