import { Table } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./row-link.module.css";

type RowLinkProps = Pick<LinkProps, "to" | "params" | "search"> & {
  label: ReactNode;
  /** The other cells. */
  children: ReactNode;
};

/** A table row that leads to a page. Its first cell is the link; a click anywhere in the row follows it. */
export function RowLink({ label, children, ...target }: RowLinkProps) {
  return (
    <Table.Tr className={classes.row ?? ""}>
      <Table.Td className={classes.first ?? ""}>
        <Link className={classes.link} {...target}>
          {label}
        </Link>
      </Table.Td>
      {children}
    </Table.Tr>
  );
}
