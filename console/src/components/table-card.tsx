import { Paper, Table } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./table-card.module.css";

interface TableCardProps {
  label: string;
  /** Scrolls sideways if there is less room. */
  minWidth?: number;
  children: ReactNode;
}

export function TableCard({ label, minWidth = 0, children }: TableCardProps) {
  return (
    <Paper className={classes.card ?? ""}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label={label}>
        <Table miw={minWidth}>{children}</Table>
      </section>
    </Paper>
  );
}
