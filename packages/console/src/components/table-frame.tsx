import { Group, NativeSelect, Paper, Text, VisuallyHidden } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconSelector } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./data-table.module.css";
import { type Column, EXPANDER_WIDTH, type TableLayout, useTableLayout } from "./table-layout.ts";
import { ROLES, type RowOptions } from "./table-row.tsx";

/** The order of a table, and what its headings do. */
interface TableSort {
  current: string;
  onChange: (sort: string) => void;
}

export interface TableProps<T> extends RowOptions<T> {
  /** Names the table for screen readers. */
  label: string;
  /** Skips falsy columns. */
  columns: readonly (Column<T> | false | undefined)[];
  /** Without it, headings do not sort. */
  sort?: TableSort | undefined;
  actionsHeading?: string;
  /** The width of the last cell in pixels. The default is enough for a menu. */
  actionsWidth?: number;
  /**
   * Scrolls sideways instead of moving columns. Meant for tables whose columns are not known in advance, such as those
   * of a file.
   */
  scrolls?: boolean;
}

const MENU_WIDTH = 64;
/** The space for the arrow at the end of rows that lead somewhere. */
const ARROW_WIDTH = 20;

interface TableFrameProps<T> extends TableProps<T> {
  /** The number of rows with the headings, if not all of them are rendered. */
  rowCount?: number;
  children: (layout: TableLayout<T>) => ReactNode;
}

/** The card around every table, with the headings. */
export function TableFrame<T>(props: TableFrameProps<T>) {
  const { label, sort, actions, linkOf, onOpen, scrolls = false, rowCount, children } = props;
  const actionsWidth = actions ? (props.actionsWidth ?? MENU_WIDTH) : 0;
  const arrowWidth = !actions && (linkOf || onOpen) ? ARROW_WIDTH : 0;
  const { ref, ...layout } = useTableLayout({
    columns: props.columns,
    reservedWidth: actionsWidth + arrowWidth,
    opensDetails: onOpen !== undefined,
    scrolls,
  });
  const { columns, hidden, isCards } = layout;
  return (
    <Paper className={classes.card ?? ""}>
      {isCards && sort && <SortSelect columns={columns} sort={sort} />}
      <section
        ref={ref}
        className={scrolls ? classes.scroll : undefined}
        aria-label={label}
        // A region that scrolls must be reachable with the keyboard.
        {...(scrolls && { tabIndex: 0 })}
      >
        <table
          className={classes.table}
          {...ROLES.table}
          data-cards={isCards || undefined}
          data-leads={arrowWidth > 0 || undefined}
          {...(rowCount !== undefined && { "aria-rowcount": rowCount })}
        >
          <thead {...ROLES.group}>
            <tr {...ROLES.row}>
              {hidden.length > 0 && !isCards && (
                <th {...ROLES.heading} style={{ width: EXPANDER_WIDTH }}>
                  <VisuallyHidden>More</VisuallyHidden>
                </th>
              )}
              {columns.map((column, position) => (
                <Heading
                  key={column.heading}
                  column={column}
                  extraWidth={position === columns.length - 1 ? arrowWidth : 0}
                  sort={isCards ? undefined : sort}
                />
              ))}
              {actions && (
                <th {...ROLES.heading} style={{ width: actionsWidth }}>
                  <VisuallyHidden>{props.actionsHeading ?? "Actions"}</VisuallyHidden>
                </th>
              )}
            </tr>
          </thead>
          {children(layout)}
        </table>
      </section>
    </Paper>
  );
}

interface HeadingProps<T> {
  column: Column<T>;
  extraWidth: number;
  sort: TableSort | undefined;
}

function Heading<T>({ column: { heading, sort: field, w, ta }, extraWidth, sort }: HeadingProps<T>) {
  const style = { width: w && w + extraWidth, textAlign: ta };
  if (!sort || !field) {
    return (
      <th {...ROLES.heading} style={style}>
        {heading}
      </th>
    );
  }
  const { current, onChange } = sort;
  const isAscending = current === nameOf(field);
  const isDescending = current === `-${nameOf(field)}`;
  const Icon = isAscending ? IconChevronUp : isDescending ? IconChevronDown : IconSelector;
  return (
    <th {...ROLES.heading} style={style} {...(isAscending && ASCENDING)} {...(isDescending && DESCENDING)}>
      <button
        type="button"
        className={classes.sort}
        onClick={() => onChange(isAscending || isDescending ? reversed(current) : field)}
      >
        {heading}
        <Icon size={14} stroke={isAscending || isDescending ? 2.2 : 1.4} aria-hidden />
      </button>
    </th>
  );
}

const ASCENDING = { "aria-sort": "ascending" } as const;
const DESCENDING = { "aria-sort": "descending" } as const;

/** Sorts cards, which have no headings. */
function SortSelect<T>({ columns, sort: { current, onChange } }: { columns: readonly Column<T>[]; sort: TableSort }) {
  const options = columns.flatMap(({ heading, sort: field }) =>
    field
      ? [
          { value: field, label: heading },
          { value: reversed(field), label: `${heading}, reversed` },
        ]
      : [],
  );
  return (
    <Group gap="xs" className={classes.sortSelect ?? ""} wrap="nowrap">
      <Text size="sm" c="dimmed">
        Sort by
      </Text>
      <NativeSelect
        size="xs"
        aria-label="Sort by"
        data={options}
        value={current}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Group>
  );
}

function nameOf(sort: string): string {
  return sort.replace("-", "");
}

function reversed(sort: string): string {
  return sort.startsWith("-") ? nameOf(sort) : `-${sort}`;
}
