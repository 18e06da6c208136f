import type { HistoricBuild } from "@dbdepot/contract/console/databases";
import type { Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconPackageOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CopyButton } from "../../components/copy-button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatDate } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { amountColumns } from "./amounts.tsx";
import { databasesApi } from "./api.ts";
import { HistoricBuildDrawer } from "./build-drawer.tsx";
import { ChangeCounts } from "./change-counts.tsx";
import { ChangesDrawer } from "./changes-drawer.tsx";
import { FILE_NAMES } from "./formats.ts";

/** The builds of a version, each compared with the one before it. */
export function BuildHistory({ version: { id, formats } }: { version: DatabaseVersion }) {
  const history = useQuery({
    queryKey: ["own-builds", id],
    queryFn: async () => (await databasesApi.builds(id)).builds,
  });
  const [opened, setOpened] = useState<HistoricBuild>();
  const [compared, setCompared] = useState<HistoricBuild>();
  const builds = history.data ?? [];
  return (
    <Stack gap="md">
      {builds.length > 0 && (
        <Text c="dimmed">
          Each build with its change from the one before. Programs download an older one with <code>build=</code> and
          its id.
        </Text>
      )}
      <DataTable
        label="Builds"
        query={history}
        columns={[
          { heading: "Data of", min: 150, cell: (build) => <DataOf build={build} /> },
          { heading: "Published", w: 135, cell: ({ published }) => <Time value={published} /> },
          ...amountColumns<HistoricBuild>(formats, (build) =>
            builds.slice(builds.indexOf(build) + 1).find(({ withdrawn }) => !withdrawn),
          ).map((column) => ({ ...column, priority: 3 as const })),
          {
            heading: "Changed rows",
            w: 140,
            cell: (build) => <ChangeCounts counts={build.changes} onClick={() => setCompared(build)} />,
          },
          { heading: "Build", w: 180, priority: 3, cell: (build) => <BuildId build={build} /> },
          {
            heading: "Download",
            w: 60 + 75 * formats.length,
            priority: 1,
            cell: (build) => <Downloads id={id} formats={formats} build={build} />,
          },
        ]}
        actions={(build) => (
          <Button variant="default" size="xs" onClick={() => setOpened(build)} aria-label={`Details of ${build.id}`}>
            Details
          </Button>
        )}
        actionsHeading="Details"
        actionsWidth={104}
        empty={
          <EmptyState icon={IconPackageOff} title="No builds" text="Builds appear here when they are published." />
        }
      />
      {opened && <HistoricBuildDrawer id={id} build={opened} onClose={() => setOpened(undefined)} />}
      {compared && (
        <ChangesDrawer
          title={`What the build of ${formatDate(compared.updated)} changed`}
          buildId={compared.id}
          load={() => databasesApi.changes(id, compared.id)}
          rowsUrl={({ from }) => databasesApi.changedRowsUrl(id, from?.build_id, compared.id)}
          onClose={() => setCompared(undefined)}
        />
      )}
    </Stack>
  );
}

function DataOf({ build: { updated, current, available, withdrawn } }: { build: HistoricBuild }) {
  return (
    <>
      <Group gap={4}>
        <span style={{ whiteSpace: "nowrap" }}>{formatDate(updated)}</span>
        {withdrawn && <StatusBadge tone="bad">Withdrawn</StatusBadge>}
        {current && !withdrawn && <StatusBadge tone="good">Current</StatusBadge>}
      </Group>
      {!available && !withdrawn && (
        <Text size="sm" c="dimmed">
          No longer kept
        </Text>
      )}
      {withdrawn && (
        <Text size="sm" c="dimmed">
          {withdrawn.reason ?? "No reason was given"}
        </Text>
      )}
    </>
  );
}

interface DownloadsProps {
  id: string;
  formats: readonly Format[];
  build: HistoricBuild;
}

function Downloads({ id, formats, build }: DownloadsProps) {
  if (!build.available) return null;
  return (
    <Group gap={4} wrap="nowrap">
      {formats.map((format) => (
        <Button
          key={format}
          component="a"
          href={databasesApi.downloadUrl(id, format, build.id)}
          variant="default"
          size="compact-sm"
          aria-label={`Download the ${FILE_NAMES[format]} of ${formatDate(build.updated)}`}
        >
          {FILE_NAMES[format]}
        </Button>
      ))}
    </Group>
  );
}

function BuildId({ build: { id, available } }: { build: HistoricBuild }) {
  if (!available) return null;
  return (
    <Group gap={4} wrap="nowrap">
      <code title={id} style={{ whiteSpace: "nowrap" }}>
        {id.slice(0, 13)}…
      </code>
      <CopyButton value={id} label="Copy the build id" />
    </Group>
  );
}
