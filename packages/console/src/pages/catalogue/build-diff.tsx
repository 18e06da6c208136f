import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { OperatorBuild } from "@dbdepot/contract/operator/builds";
import { Stack, Table, Text, Title } from "@mantine/core";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { TableCard } from "../../components/table-card.tsx";
import { changeInPercent } from "../databases/amounts.tsx";
import { FILE_KINDS, FILE_NAMES } from "../databases/formats.ts";
import { RowChanges } from "../databases/row-changes.tsx";

export function BuildDiff({ check }: { check: BuildCheck }) {
  const { build, current_build: current } = check;
  if (!current) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>Compared with the current build</Title>
      <TableCard label="Differences from the current build">
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            <Table.Th ta="right">Current</Table.Th>
            <Table.Th ta="right">New</Table.Th>
            <Table.Th ta="right">Change</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Line name="Dated" values={[formatDate(current.updated), formatDate(build.updated)]} />
          <Line
            name="Rows"
            values={[formatCount(current.entries), formatCount(build.entries)]}
            change={changeInPercent(build.entries, current.entries)}
          />
          {FILE_KINDS.filter((kind) => build.files[kind] || current.files[kind]).map((kind) => (
            <Line key={kind} name={FILE_NAMES[kind]} {...sizes(current, build, kind)} />
          ))}
        </Table.Tbody>
      </TableCard>
      <ColumnChanges changes={check.column_changes} />
      <Rows comparison={check.comparison} />
    </Stack>
  );
}

function Rows({ comparison }: { comparison: BuildCheck["comparison"] }) {
  if (!comparison) return null;
  return (
    <Stack gap="xs" mt="sm">
      <Title order={2}>Changed rows</Title>
      {comparison.changes ? (
        <RowChanges changes={comparison.changes} />
      ) : (
        <Text c="dimmed" role="status">
          {comparison.state === "pending" ? "The rows are being compared…" : `Not compared: ${comparison.reason}.`}
        </Text>
      )}
    </Stack>
  );
}

interface LineProps {
  name: string;
  values: [string, string];
  change?: string | undefined;
}

function Line({ name, values: [before, next], change }: LineProps) {
  const shown = change ?? (before === next ? "Same" : "");
  return (
    <Table.Tr>
      <Table.Th scope="row">{name}</Table.Th>
      <Table.Td ta="right">{before}</Table.Td>
      <Table.Td ta="right">{next}</Table.Td>
      <Table.Td ta="right" {...(!change && { c: "dimmed" })}>
        {shown}
      </Table.Td>
    </Table.Tr>
  );
}

function sizes(
  current: OperatorBuild,
  build: OperatorBuild,
  kind: keyof OperatorBuild["files"],
): Omit<LineProps, "name"> {
  const [before, next] = [current.files[kind], build.files[kind]];
  return {
    values: [before ? formatBytes(before.size_bytes) : "None", next ? formatBytes(next.size_bytes) : "None"],
    change: before && next ? changeInPercent(next.size_bytes, before.size_bytes) : undefined,
  };
}

function ColumnChanges({ changes }: { changes: BuildCheck["column_changes"] }) {
  const formats = Object.entries(changes) as [keyof typeof changes, NonNullable<(typeof changes)["csvgz"]>][];
  if (formats.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        The columns are the same.
      </Text>
    );
  }
  return formats.map(([format, { added, removed, retyped, reordered }]) => (
    <Text key={format} size="sm">
      <Text span inherit fw={500}>
        {FILE_NAMES[format]} columns:
      </Text>{" "}
      {[
        ...added.map((name) => `${name} added`),
        ...removed.map((name) => `${name} removed`),
        ...retyped.map(({ name, type, before }) => `${name} is ${type}, was ${before}`),
        ...(reordered ? ["in another order"] : []),
      ].join("; ")}
    </Text>
  ));
}
