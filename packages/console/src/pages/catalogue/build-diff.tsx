import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { OperatorBuild } from "@dbdepot/contract/operator/builds";
import { FILE_KINDS } from "@dbdepot/contract/shared/choices";
import { Stack, Text, Title } from "@mantine/core";
import { PlainTable } from "../../components/data-table.tsx";
import { changeInPercent, formatBytes, formatCount, formatDate } from "../../components/format.ts";
import type { Column } from "../../components/table-layout.ts";
import { FILE_NAMES } from "../databases/formats.ts";
import { RowChanges } from "../databases/row-changes.tsx";

export function BuildDiff({ check }: { check: BuildCheck }) {
  const { build, current_build: current } = check;
  if (!current) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>Compared with the current build</Title>
      <PlainTable
        label="Differences from the current build"
        columns={COLUMNS}
        rows={differences(current, build)}
        keyOf={({ name }) => name}
      />
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

interface Difference {
  name: string;
  values: [string, string];
  change?: string | undefined;
}

const COLUMNS: Column<Difference>[] = [
  {
    heading: "What",
    min: 110,
    cell: ({ name }) => (
      <Text inherit fw={500}>
        {name}
      </Text>
    ),
  },
  { heading: "Current", min: 110, ta: "right", cell: ({ values: [before] }) => before },
  { heading: "New", min: 110, ta: "right", cell: ({ values: [, next] }) => next },
  {
    heading: "Change",
    min: 90,
    ta: "right",
    cell: ({ values: [before, next], change }) =>
      change ??
      (before === next ? (
        <Text inherit c="dimmed">
          Same
        </Text>
      ) : null),
  },
];

function differences(current: OperatorBuild, build: OperatorBuild): Difference[] {
  return [
    { name: "Date", values: [formatDate(current.updated), formatDate(build.updated)] },
    {
      name: "Rows",
      values: [formatCount(current.entries), formatCount(build.entries)],
      change: changeInPercent(build.entries, current.entries),
    },
    ...FILE_KINDS.filter((kind) => build.files[kind] || current.files[kind]).map((kind) => {
      const [before, next] = [current.files[kind], build.files[kind]];
      return {
        name: FILE_NAMES[kind],
        values: [before ? formatBytes(before.size_bytes) : "None", next ? formatBytes(next.size_bytes) : "None"],
        change: before && next ? changeInPercent(next.size_bytes, before.size_bytes) : undefined,
      } satisfies Difference;
    }),
  ];
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
