import { Anchor, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { brand } from "../../app/brand.ts";
import { Logo } from "../../components/logo.tsx";
import { VendorLinks } from "../../components/vendor-links.tsx";
import classes from "./welcome.module.css";

interface WelcomeProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

/** The frame of all pages that need no session. */
export function Welcome({ title, description, children }: WelcomeProps) {
  useDocumentTitle(`${title} · ${brand.name}`);
  return (
    <main className={classes.page}>
      <Stack w="100%" maw={400} gap="xl">
        <Stack align="center">
          <Logo />
        </Stack>
        <Paper p={32} shadow="sm">
          <Stack gap="lg">
            <Stack gap={4}>
              <Title order={1}>{title}</Title>
              {description && <Text c="dimmed">{description}</Text>}
            </Stack>
            {children}
          </Stack>
        </Paper>
        <Anchor size="sm" c="dimmed" ta="center" href="/docs">
          API reference
        </Anchor>
        <VendorLinks justify="center" />
      </Stack>
    </main>
  );
}
