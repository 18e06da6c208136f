import { Group, Paper, Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./family-list.module.css";

/** The families of the catalogue, as customers or operators see them. */
export function FamilyList({ children }: { children: ReactNode }) {
  return (
    <Paper component="ul" className={classes.list ?? ""}>
      {children}
    </Paper>
  );
}

interface FamilyRowProps {
  to: "/databases/$base" | "/catalogue/$base";
  base: string;
  name: string;
  badges: ReactNode;
  /** The lines below the name. */
  description: ReactNode;
  /** The content on the right. */
  children: ReactNode;
}

/** A family with a link to its page. */
export function FamilyRow({ to, base, name, badges, description, children }: FamilyRowProps) {
  return (
    <li>
      <Link to={to} params={{ base }} className={classes.row}>
        <div className={classes.what}>
          <Group gap="xs">
            <Text component="h2" m={0} fw={600} fz="md">
              {name}
            </Text>
            {badges}
          </Group>
          {description}
        </div>
        {children}
        <IconChevronRight className={classes.chevron} size={18} stroke={1.6} aria-hidden="true" />
      </Link>
    </li>
  );
}
