import { Paper, Table } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./table-card.module.css";

interface TableCardProps {
  label: string;
  /** Scrolls sideways if there is less room. */
  minWidth?: number;
  /** Shows each row as a card on phones. Cells need a `data-label` unless they speak for themselves. */
  stacks?: boolean;
  children: ReactNode;
}

export function TableCard({ label, minWidth = 0, stacks = false, children }: TableCardProps) {
  return (
    <Paper className={classes.card ?? ""}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className={classes.scroll} data-stacks={stacks || undefined} tabIndex={0} aria-label={label}>
        <Table miw={minWidth}>{children}</Table>
      </section>
    </Paper>
  );
}
