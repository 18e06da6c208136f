import type { CurrentBuild } from "@dbdepot/contract/console/databases";
import type { Format } from "@dbdepot/contract/shared/formats";
import type { Database } from "@dbdepot/contract/v2/catalogue";
import { Skeleton, Text } from "@mantine/core";
import { Fragment } from "react";
import { formatBytes, formatDate, plural } from "../../components/format.ts";
import type { CurrentBuildMap } from "./api.ts";
import classes from "./database-row.module.css";
import { FamilyRow } from "./family-list.tsx";
import { LicenceTerm, StandingBadge } from "./standing.tsx";

interface DatabaseRowProps {
  database: Database;
  /** Undefined while they load. */
  builds: CurrentBuildMap | undefined;
  /** The columns that were searched for. */
  foundColumns: readonly string[];
}

export function DatabaseRow({ database, builds, foundColumns }: DatabaseRowProps) {
  const { base, name, summary, standing, versions } = database;
  const newest = versions.findLast(({ id }) => builds?.has(id));
  return (
    <FamilyRow
      to="/databases/$base"
      base={base}
      name={name}
      badges={<StandingBadge database={database} />}
      description={
        <>
          <Text c="dimmed" lineClamp={2}>
            {summary}
          </Text>
          <Text size="sm" c="dimmed" mt={4}>
            <code>{base}</code> · {plural(versions.length, "version")}
            {standing !== "unlicensed" && (
              <>
                {" · "}
                <LicenceTerm database={database} />
              </>
            )}
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
      }
    >
      <Freshness build={builds && (newest ? builds.get(newest.id) : null)} />
    </FamilyRow>
  );
}

function Freshness({ build }: { build: CurrentBuild | null | undefined }) {
  if (build === undefined) return <Skeleton className={classes.freshness ?? ""} height={36} width={140} />;
  if (build === null) {
    return (
      <Text className={classes.freshness ?? ""} size="sm" c="dimmed">
        No build at the moment
      </Text>
    );
  }
  const { entries, size, sample_entries: sampleEntries, sample_size: sampleSize = {} } = build;
  return (
    <div className={classes.freshness}>
      <Text size="sm" fw={500}>
        Updated {formatDate(build.updated)}
      </Text>
      <Text size="sm" c="dimmed" className="tabular">
        {extentOf(entries, size)}
      </Text>
      {sampleEntries !== undefined && (
        <Text size="sm" c="dimmed" className="tabular">
          Sample: {extentOf(sampleEntries, sampleSize)}
        </Text>
      )}
    </div>
  );
}

/** "96 rows · 3.11 kB", with the size of the largest file. */
function extentOf(entries: number, size: Partial<Record<Format, number>>): string {
  return `${plural(entries, "row")} · ${formatBytes(Math.max(0, ...Object.values(size)))}`;
}
