import { Paper, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface EmptyStateProps {
  icon: Icon;
  title: string;
  text: string;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, text, action }: EmptyStateProps) {
  return (
    <Paper py={64} px="md">
      <Stack align="center" gap="xs" ta="center">
        <ThemeIcon size={44} radius="xl" variant="light" mb={4}>
          <Icon size={22} stroke={1.6} />
        </ThemeIcon>
        <Title order={2}>{title}</Title>
        <Text c="dimmed" maw={420} mb={action ? "sm" : 0}>
          {text}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}
