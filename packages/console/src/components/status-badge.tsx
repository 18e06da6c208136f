import { Badge, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./status-badge.module.css";

export type Tone = "good" | "warning" | "bad" | "neutral";

/** The state of something in a word. The coloured dot is decoration. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge className={classes.badge ?? ""} data-tone={tone} variant="default" radius="xl" leftSection={<i />}>
      {children}
    </Badge>
  );
}

/** The same with a line below it that says more. */
export function DetailedStatus({ tone, label, detail }: { tone: Tone; label: string; detail?: ReactNode }) {
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone={tone}>{label}</StatusBadge>
      {detail && (
        <Text size="sm" c="dimmed">
          {detail}
        </Text>
      )}
    </Stack>
  );
}
