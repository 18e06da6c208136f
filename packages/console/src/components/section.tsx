import { Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  description?: string;
  children: ReactNode;
}

/** A card with a heading. */
export function Section({ title, description, children }: SectionProps) {
  return (
    <Paper component="section" p="lg">
      <Stack gap="md">
        <Stack gap={2}>
          <Title order={2}>{title}</Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Stack>
        {children}
      </Stack>
    </Paper>
  );
}
