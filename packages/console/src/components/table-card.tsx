import { Paper, Table } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./table-card.module.css";

interface TableCardProps {
  label: string;
  /** In narrower windows, the table scrolls sideways. */
  minWidth?: number;
  /** Shows each row as a card on phones, where `data-label` is the name of a cell. */
  stacks?: boolean;
  /** The number of rows, if not all of them are rendered. Then the columns keep their widths. */
  rowCount?: number | undefined;
  children: ReactNode;
}

/** The frame of every table. */
export function TableCard({ label, minWidth = 0, stacks = false, rowCount, children }: TableCardProps) {
  return (
    <Paper className={classes.card ?? ""}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className={classes.scroll} data-stacks={stacks || undefined} tabIndex={0} aria-label={label}>
        <Table miw={minWidth} {...(rowCount !== undefined && { layout: "fixed", "aria-rowcount": rowCount })}>
          {children}
        </Table>
      </section>
    </Paper>
  );
}
