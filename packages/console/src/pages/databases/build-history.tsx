import type { HistoricBuild } from "@dbdepot/contract/console/databases";
import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconPackageOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatDate } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { amountColumns } from "./amounts.tsx";
import { HistoricBuildDrawer } from "./build-drawer.tsx";

/** The builds of a version, each compared with the one before it. */
export function BuildHistory({ version: { id, formats } }: { version: DatabaseVersion }) {
  const history = useQuery({ queryKey: ["own-builds", id], queryFn: async () => (await api.ownBuilds(id)).builds });
  const [opened, setOpened] = useState<HistoricBuild>();
  const builds = history.data ?? [];
  return (
    <Stack gap="md">
      {builds.length > 0 && (
        <Text c="dimmed">
          Each build with its change from the one before. Download an older one with <code>build=</code> and its id.
        </Text>
      )}
      <DataTable
        label="Builds"
        query={history}
        columns={[
          { heading: "Data of", cell: ({ updated }) => formatDate(updated) },
          { heading: "Published", cell: ({ published }) => <Time value={published} /> },
          ...amountColumns<HistoricBuild>(formats, (build) => builds[builds.indexOf(build) + 1]),
          { heading: "Build", cell: (build) => <BuildName build={build} /> },
        ]}
        actions={(build) => (
          <Button variant="default" size="xs" onClick={() => setOpened(build)} aria-label={`Details of ${build.id}`}>
            Details
          </Button>
        )}
        actionsHeading="Details"
        empty={
          <EmptyState icon={IconPackageOff} title="No builds" text="Builds appear here when they are published." />
        }
        minWidth={720}
      />
      {opened && <HistoricBuildDrawer id={id} build={opened} onClose={() => setOpened(undefined)} />}
    </Stack>
  );
}

function BuildName({ build: { id, current, available } }: { build: HistoricBuild }) {
  if (!available) return <Text c="dimmed">No longer kept</Text>;
  return (
    <Group gap={4} wrap="nowrap">
      <code title={id}>{id.slice(0, 13)}…</code>
      <CopyButton value={id} label="Copy the build id" />
      {current && <StatusBadge tone="good">Current</StatusBadge>}
    </Group>
  );
}
