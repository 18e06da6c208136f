import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { Paper, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { FORMAT_NAMES } from "./formats.ts";

export function BuildFacts({ build }: { build: DatabaseMetadata }) {
  const facts: [string, ReactNode][] = [
    ["Updated", formatDate(build.updated)],
    ["Rows", formatCount(build.entries)],
    ...Object.entries(build.size).map(([format, bytes]): [string, ReactNode] => [
      FORMAT_NAMES[format as keyof typeof FORMAT_NAMES],
      formatBytes(bytes),
    ]),
    ...(build.update_freq ? [["New builds", build.update_freq] as [string, ReactNode]] : []),
  ];
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: facts.length }} spacing="sm" m={0}>
      {facts.map(([label, value]) => (
        <Paper key={label} px="md" py="sm">
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} size="lg" fw={600} className="tabular">
            {value}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
