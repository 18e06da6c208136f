import { Button, Group, Loader, Table, type TableThProps, Text, VisuallyHidden } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconSelector } from "@tabler/icons-react";
import { Link, type LinkProps } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import classes from "./data-table.module.css";
import { Loaded, type LoadedQuery } from "./loaded.tsx";
import { TableCard } from "./table-card.tsx";
import { useVirtualRows } from "./virtual-rows.ts";

export interface Column<T> {
  heading: string;
  cell: (row: T) => ReactNode;
  /** The field that the heading sorts by, with a minus sign if the largest values come first. */
  sort?: string;
  w?: number;
  maw?: number;
  ta?: "right";
  c?: "dimmed";
  visibleFrom?: "xs" | "lg";
}

/** The order of a table, and what its headings do. */
interface TableSort {
  current: string;
  onChange: (sort: string) => void;
}

interface TableProps<T> {
  /** Names the table for screen readers. */
  label: string;
  /** Skips falsy columns. */
  columns: readonly (Column<T> | false | undefined)[];
  /** Without it, headings do not sort. */
  sort?: TableSort | undefined;
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
  /** Called when the end of the table is near, to load more. */
  onEnd?: () => void;
  isLoadingMore?: boolean;
}

/** Tables with more rows render only those in view. */
const ALL_ROWS = 60;
const ROW_HEIGHT = 57;

/** A table of what a query returned, with its loading, error and empty states, and further rows on demand. */
export function DataTable<T extends { id: string }>(props: DataTableProps<T>) {
  const { query, empty, placeholders = 5, more, onEnd, isLoadingMore = false, ...table } = props;
  return (
    <Loaded query={query} rows={placeholders} isEmpty={(rows) => rows.length === 0} empty={empty}>
      {(rows) => (
        <>
          {rows.length > ALL_ROWS ? (
            <VirtualTable {...table} rows={rows} onEnd={onEnd} />
          ) : (
            <PlainTable {...table} rows={rows} keyOf={({ id }) => id} />
          )}
          {isLoadingMore && <Loader size="xs" m="md" aria-label="Loading more" />}
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

interface VirtualTableProps<T> extends TableProps<T> {
  rows: readonly T[];
  onEnd: (() => void) | undefined;
}

/** A table of which only the rows in view are rendered. */
function VirtualTable<T extends { id: string }>({ rows, onEnd, ...table }: VirtualTableProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const virtual = useVirtualRows({ container: body, keys: rows, estimatedHeight: ROW_HEIGHT, onEnd });
  return (
    <TableFrame {...table} rowCount={rows.length + 1}>
      <Table.Tbody ref={body}>
        <Gap height={virtual.above} />
        {virtual.visible.map(({ index, key }) => {
          const row = rows[index];
          return row && <Row key={key} {...table} row={row} index={index} measure={virtual.measure} />;
        })}
        <Gap height={virtual.below} />
      </Table.Tbody>
    </TableFrame>
  );
}

/** Takes the place of rows that are not rendered. */
function Gap({ height }: { height: number }) {
  return height > 0 && <tr style={{ height, padding: 0, border: 0 }} />;
}

interface PlainTableProps<T> extends TableProps<T> {
  rows: readonly T[];
  keyOf: (row: T) => string;
}

/** A table of rows that are already there. */
export function PlainTable<T>({ rows, keyOf, ...table }: PlainTableProps<T>) {
  return (
    <TableFrame {...table}>
      <Table.Tbody>
        {rows.map((row) => (
          <Row key={keyOf(row)} {...table} row={row} />
        ))}
      </Table.Tbody>
    </TableFrame>
  );
}

interface TableFrameProps<T> extends TableProps<T> {
  rowCount?: number;
  children: ReactNode;
}

function TableFrame<T>(props: TableFrameProps<T>) {
  const { label, columns, sort, actions, actionsHeading = "Actions", minWidth = 0, stacks = false } = props;
  return (
    <TableCard label={label} minWidth={minWidth} stacks={stacks} rowCount={props.rowCount}>
      <Table.Thead>
        <Table.Tr>
          {shownOf(columns).map(({ heading, cell: _, maw: __, c: ___, sort: field, ...style }) =>
            sort && field ? (
              <SortedHeading key={heading} heading={heading} field={field} sort={sort} style={style} />
            ) : (
              <Table.Th key={heading} {...style}>
                {heading}
              </Table.Th>
            ),
          )}
          {actions && (
            <Table.Th w={72}>
              <VisuallyHidden>{actionsHeading}</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      {props.children}
    </TableCard>
  );
}

function shownOf<T>(columns: TableProps<T>["columns"]): Column<T>[] {
  return columns.filter((column) => column !== false && column !== undefined);
}

interface SortedHeadingProps {
  heading: string;
  field: string;
  sort: TableSort;
  style: TableThProps;
}

function SortedHeading({ heading, field, sort: { current, onChange }, style }: SortedHeadingProps) {
  const name = field.replace("-", "");
  const isAscending = current === name;
  const isDescending = current === `-${name}`;
  const reversed = isAscending ? `-${name}` : name;
  const Icon = isAscending ? IconChevronUp : isDescending ? IconChevronDown : IconSelector;
  return (
    <Table.Th {...style} {...(isAscending && ASCENDING)} {...(isDescending && DESCENDING)}>
      <button
        type="button"
        className={classes.sort}
        onClick={() => onChange(isAscending || isDescending ? reversed : field)}
      >
        {heading}
        <Icon size={14} stroke={isAscending || isDescending ? 2.2 : 1.4} aria-hidden />
      </button>
    </Table.Th>
  );
}

const ASCENDING = { "aria-sort": "ascending" } as const;
const DESCENDING = { "aria-sort": "descending" } as const;

interface RowProps<T> extends Pick<TableProps<T>, "columns" | "linkOf" | "actions"> {
  row: T;
  /** Its number, if not all rows are rendered. */
  index?: number;
  measure?: (row: HTMLTableRowElement | null) => void;
}

function Row<T>({ row, columns, linkOf, actions, index, measure }: RowProps<T>) {
  return (
    <Table.Tr
      className={(linkOf && classes.linked) ?? ""}
      // The heading is the first row.
      {...(index !== undefined && { "aria-rowindex": index + 2, "data-index": index })}
      {...(measure && { ref: measure })}
    >
      {shownOf(columns).map(({ heading, cell, w: _, sort: __, ...style }, position) => (
        // On phones, the first cell is the title of the card. The others need a label.
        <Table.Td
          key={heading}
          data-label={position > 0 ? heading : undefined}
          {...style}
          // Numbers stay on one line with their units.
          {...(style.ta === "right" && { style: { whiteSpace: "nowrap" } })}
        >
          {linkOf && position === 0 ? (
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
