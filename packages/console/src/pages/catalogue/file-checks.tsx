import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Group, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { formatBytes, formatDate, plural } from "../../components/format.ts";
import { isOptional, SLOT_NAMES, type Slot, slotsOf } from "./build-files.ts";

/** Shows one line per file, with its contents and whether it has faults. */
export function FileChecks({ version, check }: { version: ListedVersion; check: BuildCheck }) {
  const { faults, build } = check;
  const slots = slotsOf(version).filter((slot) => !isOptional(slot) || (slot !== "metadata" && build.files[slot]));
  return (
    <Stack component="ul" gap={8} m={0} p={0} style={{ listStyle: "none" }}>
      {slots.map((slot) => {
        const isFaulty = faults.some((fault) => fault.startsWith(`${slot}: `));
        return (
          <Group key={slot} component="li" gap="xs" wrap="nowrap" align="flex-start">
            {isFaulty ? (
              <IconCircleX size={18} stroke={1.8} color="var(--mantine-color-red-7)" aria-label="Faulty" />
            ) : (
              <IconCircleCheck size={18} stroke={1.8} color="var(--mantine-color-green-7)" aria-label="Valid" />
            )}
            <Text size="sm">
              <Text span inherit fw={500}>
                {SLOT_NAMES[slot]}
              </Text>{" "}
              <Text span inherit c="dimmed">
                {findings(check, slot)}
              </Text>
            </Text>
          </Group>
        );
      })}
    </Stack>
  );
}

function findings({ build, tables }: BuildCheck, slot: Slot): string {
  if (slot === "metadata") return `${plural(build.entries, "row")}, dated ${formatDate(build.updated)}`;
  const table = tables[slot];
  const size = formatBytes(build.files[slot]?.size_bytes ?? 0);
  return table ? `${plural(table.rows, "row")}, ${plural(table.columns.length, "column")}, ${size}` : size;
}
