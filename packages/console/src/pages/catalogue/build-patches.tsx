import type { BuildPatch, ListedBuild } from "@dbdepot/contract/operator/builds";
import { Stack, Text, Title } from "@mantine/core";
import { PlainTable } from "../../components/data-table.tsx";
import { formatBytes, formatDate, formatDuration } from "../../components/format.ts";
import { FILE_NAMES } from "../databases/formats.ts";

/** "12 of 14": the patches that customers get, of those that were considered. */
export function PatchCount({ build: { patches } }: { build: ListedBuild }) {
  if (patches.length === 0) return <Text c="dimmed">–</Text>;
  const offered = patches.filter(({ size_bytes: size }) => size !== null).length;
  return `${offered} of ${patches.length}`;
}

/** The patches to a build: how large they are and how long they took, or why they were dropped. */
export function BuildPatches({ build, builds }: { build: ListedBuild; builds: readonly ListedBuild[] }) {
  if (build.patches.length === 0) return null;
  const dates = new Map(builds.map(({ id, updated }) => [id, updated]));
  return (
    <Stack gap="xs">
      <Title order={2}>Patches</Title>
      <PlainTable
        label="Patches"
        rows={build.patches}
        keyOf={({ format, from_build_id: from }) => `${format} ${from}`}
        columns={[
          { heading: "From", min: 120, cell: ({ from_build_id: from }) => baseName(from, dates) },
          { heading: "Format", w: 100, cell: ({ format }) => FILE_NAMES[format] },
          { heading: "Size", w: 120, ta: "right", cell: (patch) => <PatchSize patch={patch} build={build} /> },
          { heading: "Took", w: 80, priority: 3, ta: "right", cell: ({ duration_ms: ms }) => formatDuration(ms) },
        ]}
      />
    </Stack>
  );
}

function PatchSize({ patch: { format, size_bytes: size, reason }, build }: { patch: BuildPatch; build: ListedBuild }) {
  if (size === null) return <Text c="dimmed">{reason}</Text>;
  const whole = build.files[format]?.size_bytes;
  return (
    <>
      {formatBytes(size)}
      {whole !== undefined && (
        <Text size="sm" c="dimmed">
          {((100 * size) / whole).toFixed(1)} % of the file
        </Text>
      )}
    </>
  );
}

function baseName(buildId: string | null, dates: ReadonlyMap<string, string>): string {
  if (buildId === null) return "Nothing (compressed copy)";
  const date = dates.get(buildId);
  return date ? formatDate(date) : buildId.slice(-12);
}
