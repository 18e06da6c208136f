import { Group, Stack, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

/** Names and values, one pair per line. */
export function FactTable({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <Table layout="fixed" horizontalSpacing={0} style={{ overflowWrap: "anywhere" }}>
      <Table.Tbody>
        {Object.entries(facts).map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row" w={104}>
              {label}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Names above their values, for narrow places. Entries that are undefined are left out. */
export function FactList({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <Stack component="dl" gap="sm" m={0}>
      {Object.entries(facts).map(
        ([label, value]) =>
          value !== undefined && (
            <div key={label}>
              <Text component="dt" size="xs" c="dimmed">
                {label}
              </Text>
              <Text component="dd" m={0} style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
                {value}
              </Text>
            </div>
          ),
      )}
    </Stack>
  );
}

/** Long text for programs, such as a digest, with a button that copies it. */
export function CopiedText({ text, label }: { text: string; label: string }) {
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <code style={{ overflowWrap: "anywhere" }}>{text}</code>
      <CopyButton value={text} label={label} />
    </Group>
  );
}
