import { Button, Group, Table, Text, VisuallyHidden } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./data-table.module.css";
import { Loaded, type LoadedQuery } from "./loaded.tsx";
import { TableCard } from "./table-card.tsx";

export interface Column<T> {
  heading: string;
  cell: (row: T) => ReactNode;
  w?: number;
  maw?: number;
  ta?: "right";
  c?: "dimmed";
  visibleFrom?: "xs";
}

interface TableProps<T> {
  /** Names the table for screen readers. */
  label: string;
  /** Skips falsy columns. */
  columns: readonly (Column<T> | false | undefined)[];
  /** Makes each row a link: its first cell is the link, and a click anywhere in the row follows it. */
  linkOf?: (row: T) => Pick<LinkProps, "to" | "params" | "search">;
  /** The last cell, with a menu or a button. */
  actions?: (row: T) => ReactNode;
  actionsHeading?: string;
  /** In narrower windows, the table scrolls sideways. */
  minWidth?: number;
  /** Shows each row as a card on phones. */
  stacks?: boolean;
}

interface DataTableProps<T> extends TableProps<T> {
  /** The rows to show, as far as they are loaded. */
  query: LoadedQuery<readonly T[]>;
  /** Shown instead of a table without rows. */
  empty: ReactNode;
  /** Number of placeholder rows while the first page loads. */
  placeholders?: number;
  /** A button below the table that shows the next page. */
  more?: { label: string; isLoading?: boolean; onClick: () => void } | false;
}

/** A table of what a query returned, with its loading, error and empty states and a button for further rows. */
export function DataTable<T extends { id: string }>(props: DataTableProps<T>) {
  const { query, empty, placeholders = 5, more, ...table } = props;
  return (
    <Loaded query={query} rows={placeholders} isEmpty={(rows) => rows.length === 0} empty={empty}>
      {(rows) => (
        <>
          <PlainTable {...table} rows={rows} keyOf={({ id }) => id} />
          {more && (
            <Group justify="center">
              <Button variant="default" loading={more.isLoading ?? false} onClick={more.onClick}>
                {more.label}
              </Button>
            </Group>
          )}
        </>
      )}
    </Loaded>
  );
}

interface PlainTableProps<T> extends TableProps<T> {
  rows: readonly T[];
  keyOf: (row: T) => string;
}

/** A table of rows that are already there. */
export function PlainTable<T>({ rows, keyOf, columns, ...props }: PlainTableProps<T>) {
  const { label, linkOf, actions, actionsHeading = "Actions", minWidth = 0, stacks = false } = props;
  const shown = columns.filter((column) => column !== false && column !== undefined);
  return (
    <TableCard label={label} minWidth={minWidth} stacks={stacks}>
      <Table.Thead>
        <Table.Tr>
          {shown.map(({ heading, cell: _, maw: __, c: ___, ...style }) => (
            <Table.Th key={heading} {...style}>
              {heading}
            </Table.Th>
          ))}
          {actions && (
            <Table.Th w={56}>
              <VisuallyHidden>{actionsHeading}</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)} className={(linkOf && classes.linked) ?? ""}>
            {shown.map(({ heading, cell, w: _, ...style }, index) => (
              // On phones, the first cell is the title of the card. The others need a label.
              <Table.Td key={heading} data-label={index > 0 ? heading : undefined} {...style}>
                {linkOf && index === 0 ? (
                  <Link className={classes.link} {...linkOf(row)}>
                    {cell(row)}
                  </Link>
                ) : (
                  <div className={classes.cell}>{cell(row)}</div>
                )}
              </Table.Td>
            ))}
            {actions && <Table.Td data-actions>{actions(row)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}

interface TwoLinesProps {
  children: ReactNode;
  /** The smaller line below. */
  detail: ReactNode;
  /** Cuts both lines off where they do not fit, and shows strings in full as tooltips. */
  truncate?: boolean;
}

/** A cell with the name of something, and a detail below it. */
export function TwoLines({ children, detail, truncate = false }: TwoLinesProps) {
  return (
    <>
      <Text fw={500} truncate={truncate} {...titleOf(truncate && children)}>
        {children}
      </Text>
      {detail && (
        <Text size="sm" c="dimmed" truncate={truncate} {...titleOf(truncate && detail)}>
          {detail}
        </Text>
      )}
    </>
  );
}

function titleOf(text: ReactNode): { title?: string } {
  return typeof text === "string" ? { title: text } : {};
}
