import { ActionIcon, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { Link, type LinkProps } from "@tanstack/react-router";
import { type MouseEvent, type ReactNode, useId, useState } from "react";
import classes from "./data-table.module.css";
import type { Column, TableLayout } from "./table-layout.ts";

/** The behaviour of a row. */
export interface RowOptions<T> {
  /** Makes each row a link: its first cell is the link, and a click anywhere in the row follows it. */
  linkOf?: ((row: T) => Pick<LinkProps, "to" | "params" | "search">) | undefined;
  /** Opens all details of a row, wherever it is clicked. Columns that do not fit are expected there. */
  onOpen?: ((row: T) => void) | undefined;
  /** The last cell, with a menu or a button. */
  actions?: (row: T) => ReactNode;
}

/** As cards, these elements are not a table for browsers any more. So they always say what they are. */
export const ROLES = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  heading: { role: "columnheader" },
  cell: { role: "cell" },
} as const;

interface RowProps<T> extends RowOptions<T> {
  row: T;
  layout: TableLayout<T>;
  /** Its index, if not all rows are rendered. */
  place?: { index: number; measure: (element: HTMLElement | null) => void };
}

/** A row, and below it the columns that do not fit, if someone wants to see them. */
export function Row<T>({ row, layout, place, linkOf, onOpen, actions }: RowProps<T>) {
  const { columns, hidden, isCards } = layout;
  const [isExpanded, setExpanded] = useState(false);
  const detailId = useId();
  const isTarget = linkOf !== undefined || onOpen !== undefined;
  return (
    <tbody {...ROLES.group} className={classes.group} data-index={place?.index} ref={place?.measure}>
      <tr
        {...ROLES.row}
        className={classes.row}
        data-target={isTarget || undefined}
        // The link or button in the first cell is there for the keyboard.
        onClick={isTarget ? forwardClick : undefined}
        // The headings are the first row.
        aria-rowindex={place && place.index + 2}
      >
        {hidden.length > 0 && !isCards && (
          <td {...ROLES.cell} className={classes.expander}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-expanded={isExpanded}
              aria-controls={isExpanded ? detailId : undefined}
              aria-label={`Show ${hidden.map(({ heading }) => heading.toLowerCase()).join(", ")}`}
              onClick={() => setExpanded(!isExpanded)}
            >
              {isExpanded ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
            </ActionIcon>
          </td>
        )}
        {columns.map(({ heading, cell, ta, c, isProse }, position) => (
          // The first cell is the title of a card. The others need a label.
          <td
            key={heading}
            {...ROLES.cell}
            data-label={position > 0 ? heading : undefined}
            className={ta && classes.number}
            data-dimmed={c && true}
            data-prose={isProse}
          >
            <First isFirst={position === 0} row={row} linkOf={linkOf} onOpen={onOpen}>
              {cell(row)}
            </First>
          </td>
        ))}
        {actions && (
          <td {...ROLES.cell} data-actions>
            {actions(row)}
          </td>
        )}
      </tr>
      {isExpanded && hidden.length > 0 && !isCards && (
        <tr {...ROLES.row} id={detailId}>
          <td {...ROLES.cell} colSpan={columns.length + (actions ? 2 : 1)} className={classes.detail}>
            <Details row={row} columns={hidden} />
          </td>
        </tr>
      )}
    </tbody>
  );
}

interface FirstProps<T> extends Pick<RowOptions<T>, "linkOf" | "onOpen"> {
  isFirst: boolean;
  row: T;
  children: ReactNode;
}

/** The first cell of a row is its link or its button. */
function First<T>({ isFirst, row, linkOf, onOpen, children }: FirstProps<T>) {
  if (isFirst && linkOf) {
    return (
      <Link className={classes.link} {...linkOf(row)}>
        {children}
      </Link>
    );
  }
  if (isFirst && onOpen) {
    return (
      <button type="button" className={classes.link} onClick={() => onOpen(row)}>
        {children}
      </button>
    );
  }
  return <div className={classes.cell}>{children}</div>;
}

/** Passes clicks beside the controls of a row on to its link or button, as if it covered the whole row. */
function forwardClick({ target, currentTarget, ctrlKey, metaKey, shiftKey }: MouseEvent<HTMLElement>): void {
  // A person who selects text does not want to leave.
  if ((target as Element).closest("a, button, label, input") || getSelection()?.type === "Range") return;
  const click = new globalThis.MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey });
  currentTarget.querySelector(`.${classes.link}`)?.dispatchEvent(click);
}

function Details<T>({ row, columns }: { row: T; columns: readonly Column<T>[] }) {
  return (
    <dl>
      {columns.map(({ heading, cell }) => (
        <div key={heading}>
          <dt>{heading}</dt>
          <dd>{cell(row)}</dd>
        </div>
      ))}
    </dl>
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
