import type { HistoricBuild } from "@dbdepot/contract/console/databases";
import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Group, Stack, Table, Text } from "@mantine/core";
import { IconPackageOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import { FORMAT_NAMES } from "./formats.ts";

/** The builds of a version, each compared with the one before it. */
export function BuildHistory({ version: { id, formats } }: { version: DatabaseVersion }) {
  const history = useQuery({ queryKey: ["own-builds", id], queryFn: () => api.ownBuilds(id) });
  return (
    <Loaded
      query={history}
      isEmpty={({ builds }) => builds.length === 0}
      empty={<EmptyState icon={IconPackageOff} title="No builds" text="Builds appear here when they are published." />}
    >
      {({ builds }) => (
        <Stack gap="md">
          <Text c="dimmed">
            Each build with its change from the one before. Download an older one with <code>build=</code> and its id.
          </Text>
          <TableCard label="Builds" minWidth={720}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Data of</Table.Th>
                <Table.Th>Published</Table.Th>
                <Table.Th ta="right">Rows</Table.Th>
                {formats.map((format) => (
                  <Table.Th key={format} ta="right">
                    {FORMAT_NAMES[format]}
                  </Table.Th>
                ))}
                <Table.Th>Build</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {builds.map((build, index) => {
                const before = builds[index + 1];
                return (
                  <Table.Tr key={build.id}>
                    <Table.Td>{formatDate(build.updated)}</Table.Td>
                    <Table.Td>
                      <Time value={build.published} />
                    </Table.Td>
                    <Amount value={build.entries} before={before?.entries} format={formatCount} />
                    {formats.map((format) => (
                      <Amount
                        key={format}
                        value={build.files[format]?.size_bytes}
                        before={before?.files[format]?.size_bytes}
                        format={formatBytes}
                      />
                    ))}
                    <Table.Td>
                      <BuildName build={build} />
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </TableCard>
        </Stack>
      )}
    </Loaded>
  );
}

interface AmountProps {
  value: number | undefined;
  before: number | undefined;
  format: (value: number) => string;
}

function Amount({ value, before, format }: AmountProps) {
  return (
    <Table.Td ta="right">
      {value === undefined ? "" : format(value)}
      {value !== undefined && before !== undefined && (
        <Text size="sm" c="dimmed">
          {changeOf(value, before, format)}
        </Text>
      )}
    </Table.Td>
  );
}

/** "+20 (+1.2%)" */
function changeOf(value: number, before: number, format: (value: number) => string): string {
  const change = value - before;
  if (change === 0) return "no change";
  const sign = change > 0 ? "+" : "−";
  const share = before === 0 ? "" : ` (${sign}${((Math.abs(change) / before) * 100).toFixed(1)}%)`;
  return `${sign}${format(Math.abs(change))}${share}`;
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
