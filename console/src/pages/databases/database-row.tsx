import type { Database } from "@dbdepot/contract/catalogue";
import type { DatabaseMetadata } from "@dbdepot/contract/metadata";
import { Group, Skeleton, Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { formatBytes, formatCount, formatDate, plural } from "../../components/format.ts";
import classes from "./databases.module.css";
import { useNewestBuild } from "./queries.ts";
import { isDownloadable, LicenceTerm, StandingBadge } from "./standing.tsx";

export function DatabaseRow({ database }: { database: Database }) {
  const { base, name, summary, standing, versions } = database;
  const build = useNewestBuild(versions, isDownloadable(database));
  return (
    <li>
      <Link to="/databases/$base" params={{ base }} className={classes.row}>
        <div className={classes.what}>
          <Group gap="xs">
            <Text component="h2" m={0} fw={600} fz="md">
              {name}
            </Text>
            <StandingBadge database={database} />
          </Group>
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
        </div>
        {isDownloadable(database) && <Freshness build={build} />}
        <IconChevronRight className={classes.chevron} size={18} stroke={1.6} aria-hidden="true" />
      </Link>
    </li>
  );
}

function Freshness({ build }: { build: DatabaseMetadata | null | undefined }) {
  if (build === undefined) return <Skeleton className={classes.freshness ?? ""} height={36} width={140} />;
  if (build === null) {
    return (
      <Text className={classes.freshness ?? ""} size="sm" c="dimmed">
        No build yet
      </Text>
    );
  }
  const sizes = Object.values(build.size);
  return (
    <div className={classes.freshness}>
      <Text size="sm" fw={500}>
        Updated {formatDate(build.updated)}
      </Text>
      <Text size="sm" c="dimmed" className="tabular">
        {formatCount(build.entries)} rows · {formatBytes(Math.max(...sizes))}
      </Text>
    </div>
  );
}
