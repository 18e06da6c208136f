import type { Format } from "@dbdepot/contract/shared/formats";
import type { Database } from "@dbdepot/contract/v2/catalogue";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { Skeleton, Text } from "@mantine/core";
import { formatBytes, formatDate, plural } from "../../components/format.ts";
import classes from "./database-row.module.css";
import { FamilyRow } from "./family-list.tsx";
import { useNewestBuild } from "./queries.ts";
import { isDownloadable, LicenceTerm, StandingBadge } from "./standing.tsx";

export function DatabaseRow({ database }: { database: Database }) {
  const { base, name, summary, standing, versions } = database;
  const build = useNewestBuild(versions, isDownloadable(database));
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
        </>
      }
    >
      {isDownloadable(database) && <Freshness build={build} />}
    </FamilyRow>
  );
}

function Freshness({ build }: { build: DatabaseMetadata | null | undefined }) {
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
