import { Paper, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./fact-cards.module.css";

/** A row of small cards, each with a label and a value. */
export function FactCards({ facts }: { facts: Record<string, ReactNode> }) {
  const entries = Object.entries(facts);
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 3, md: entries.length }} spacing="sm" m={0}>
      {entries.map(([label, value]) => (
        <Paper key={label} className={classes.card ?? ""} px="md" py="sm">
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} fw={600} className="tabular">
            {value}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
