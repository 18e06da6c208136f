import { Anchor, Group } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** Leads from one item to the list of all of them. */
export function BackLink({ to, children }: { to: LinkProps["to"]; children: ReactNode }) {
  return (
    <Anchor size="sm" c="dimmed" renderRoot={(props) => <Link to={to} {...props} />}>
      <Group gap={6}>
        <IconArrowLeft size={14} stroke={1.8} /> {children}
      </Group>
    </Anchor>
  );
}
