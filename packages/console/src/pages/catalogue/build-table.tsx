import type { ListedBuild } from "@dbdepot/contract/operator/builds";
import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import type { FileKind } from "@dbdepot/contract/shared/formats";
import { ActionIcon, Button, Group, Menu, Table, Text, VisuallyHidden } from "@mantine/core";
import { IconArrowBackUp, IconBan, IconDots, IconListDetails, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { describeActor } from "../../components/actor.ts";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import { changeInPercent, previousOf } from "./build-changes.ts";
import { FILE_NAMES } from "./files.ts";

export interface BuildAction {
  kind: "details" | "rollback" | "withdraw" | "discard";
  build: ListedBuild;
}

interface BuildTableProps {
  version: ListedVersion;
  /** Newest first. */
  builds: ListedBuild[];
  canChange: boolean;
  onAction: (action: BuildAction) => void;
}

const STEP = 50;

export function BuildTable({ version, builds, canChange, onAction }: BuildTableProps) {
  const [count, setCount] = useState(STEP);
  return (
    <>
      <TableCard label="Builds" minWidth={900}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Build</Table.Th>
            <Table.Th>Published</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th ta="right">Rows</Table.Th>
            {version.formats.map((format) => (
              <Table.Th key={format} ta="right">
                {FILE_NAMES[format]}
              </Table.Th>
            ))}
            <Table.Th w={56}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {builds.slice(0, count).map((build) => (
            <Table.Tr key={build.id}>
              <Table.Td>
                <Group gap="xs" wrap="nowrap">
                  <Text fw={500}>{build.updated === "" ? "No date" : formatDate(build.updated)}</Text>
                  <BuildState build={build} />
                </Group>
                <Text size="sm" c="dimmed">
                  <code>{build.id.slice(-12)}</code>
                </Text>
              </Table.Td>
              <Table.Td>{build.published ? <Time value={build.published} /> : <Text c="dimmed">Never</Text>}</Table.Td>
              <Table.Td maw={220}>
                <Text truncate title={build.published_by ?? undefined}>
                  {build.published_by && describeActor(build.published_by)}
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                <Changed
                  value={build.entries}
                  before={previousOf(build, builds)?.entries}
                  format={(rows) => formatCount(rows)}
                />
              </Table.Td>
              {version.formats.map((format) => (
                <Table.Td key={format} ta="right">
                  <Changed
                    value={bytesOf(build, format)}
                    before={bytesOf(previousOf(build, builds), format)}
                    format={formatBytes}
                  />
                </Table.Td>
              ))}
              <Table.Td>
                <BuildMenu build={build} canChange={canChange} onAction={onAction} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </TableCard>
      {builds.length > count && (
        <Group justify="center">
          <Button variant="default" onClick={() => setCount(count + STEP)}>
            Show older builds
          </Button>
        </Group>
      )}
    </>
  );
}

export function BuildState({ build: { state, current } }: { build: ListedBuild }) {
  if (current) return <StatusBadge tone="good">Current</StatusBadge>;
  if (state === "staged") return <StatusBadge tone="warning">Not published</StatusBadge>;
  if (state === "withdrawn") return <StatusBadge tone="bad">Withdrawn</StatusBadge>;
  if (state === "removed") return <StatusBadge tone="neutral">Deleted</StatusBadge>;
  return <StatusBadge tone="neutral">Earlier</StatusBadge>;
}

function bytesOf(build: ListedBuild | undefined, kind: FileKind): number | undefined {
  return build?.files[kind]?.size_bytes;
}

interface ChangedProps {
  value: number | undefined;
  before: number | undefined;
  format: (value: number) => string;
}

function Changed({ value, before, format }: ChangedProps) {
  if (value === undefined) return <Text c="dimmed">–</Text>;
  const change = before === undefined ? undefined : changeInPercent(value, before);
  return (
    <>
      <Text>{format(value)}</Text>
      {change && (
        <Text size="xs" c="dimmed" title={`Before: ${format(before ?? 0)}`}>
          {change}
        </Text>
      )}
    </>
  );
}

function BuildMenu({ build, canChange, onAction }: Pick<BuildTableProps, "canChange" | "onAction"> & BuildOf) {
  const isServed = build.state === "published";
  return (
    <Menu position="bottom-end" shadow="md" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for the build ${build.id}`}>
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconListDetails size={16} stroke={1.6} />}
          onClick={() => onAction({ kind: "details", build })}
        >
          Details and checksums
        </Menu.Item>
        {canChange && isServed && !build.current && (
          <Menu.Item
            leftSection={<IconArrowBackUp size={16} stroke={1.6} />}
            onClick={() => onAction({ kind: "rollback", build })}
          >
            Make it current
          </Menu.Item>
        )}
        {canChange && isServed && (
          <Menu.Item
            color="red"
            leftSection={<IconBan size={16} stroke={1.6} />}
            onClick={() => onAction({ kind: "withdraw", build })}
          >
            Withdraw
          </Menu.Item>
        )}
        {canChange && build.state === "staged" && (
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} stroke={1.6} />}
            onClick={() => onAction({ kind: "discard", build })}
          >
            Discard
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

interface BuildOf {
  build: ListedBuild;
}
