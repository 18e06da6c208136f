import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconArrowLeft } from "@tabler/icons-react";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { brand } from "../app/brand.ts";

interface PageProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The heading that every page has, with its actions on the right. */
export function Page({ title, description, actions, children }: PageProps) {
  useDocumentTitle(`${title} · ${brand.name}`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} style={{ flex: "1 1 240px" }}>
          <Title order={1} style={{ overflowWrap: "anywhere" }}>
            {title}
          </Title>
          {description && (
            <Text component="div" c="dimmed" maw={640}>
              {description}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** A link from one item back to the list. */
export function BackLink({
  children,
  ...target
}: Pick<LinkProps, "to" | "params" | "search"> & { children: ReactNode }) {
  return (
    <Anchor size="sm" c="dimmed" renderRoot={(props) => <Link {...target} {...props} />}>
      <Group gap={6}>
        <IconArrowLeft size={14} stroke={1.8} /> {children}
      </Group>
    </Anchor>
  );
}
