import { useMediaQuery } from "@mantine/hooks";
import { type ReactNode, useLayoutEffect, useState } from "react";

export interface Column<T> {
  heading: string;
  cell: (row: T) => ReactNode;
  /** The field that the heading sorts by, with a minus sign if the largest values come first. */
  sort?: string;
  /** Its width in pixels. Columns without one share the rest. */
  w?: number;
  /** The narrowest width of a column that shares the rest. */
  min?: number;
  /**
   * Columns with the largest number are the first to move into the details of their row when the table gets narrow, and
   * among equals the last one. Those with 1 stay. The default is 2, and 1 for the first column.
   */
  priority?: 1 | 2 | 3;
  ta?: "right";
  c?: "dimmed";
  /** On cards, text of several lines is below its heading instead of beside it. */
  isProse?: boolean;
}

export interface TableLayout<T> {
  /** Shows each row as a card, because the window is as narrow as a phone's. */
  isCards: boolean;
  columns: Column<T>[];
  /** The columns that do not fit. */
  hidden: Column<T>[];
}

const DEFAULT_MIN = 150;
/** The width of the cell with the button that shows the details of a row. */
export const EXPANDER_WIDTH = 44;
const CARDS = "(max-width: 699.98px)";

interface LayoutOptions<T> {
  /** Skips falsy columns. */
  columns: readonly (Column<T> | false | undefined)[];
  /** The width of what every row needs apart from its columns. */
  reservedWidth: number;
  /** Whether rows open their own details, where the columns that do not fit can be found. */
  opensDetails: boolean;
  /** Shows all columns, and scrolls sideways instead. */
  scrolls: boolean;
}

/** Decides which columns fit into the element that gets the `ref`. */
export function useTableLayout<T>({ columns, reservedWidth, opensDetails, scrolls }: LayoutOptions<T>) {
  const isCards = useMediaQuery(CARDS, false, { getInitialValueInEffect: false }) && !scrolls;
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    if (!frame) return;
    const measure = () => setWidth(frame.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame);
    return () => observer.disconnect();
  }, [frame]);
  const all = columns.filter((column) => column !== false && column !== undefined);
  const fitting = scrolls
    ? all
    : isCards
      ? all.filter(({ priority }) => !(opensDetails && priority === 3))
      : columnsThatFit(all, width - reservedWidth, opensDetails ? 0 : EXPANDER_WIDTH);
  const hidden = opensDetails ? [] : all.filter((column) => !fitting.includes(column));
  return { ref: setFrame, isCards, columns: fitting, hidden } satisfies TableLayout<T> & { ref: unknown };
}

/** `detailsWidth` is what the table needs in addition as soon as one column is missing. */
function columnsThatFit<T>(columns: readonly Column<T>[], width: number, detailsWidth: number): Column<T>[] {
  const priorityOf = (column: Column<T>) => column.priority ?? (column === columns[0] ? 1 : 2);
  const leaving = columns
    .filter((column) => priorityOf(column) > 1)
    .sort((one, other) => priorityOf(one) - priorityOf(other));
  const shown = new Set(columns);
  let needed = columns.reduce((sum, { w, min = DEFAULT_MIN }) => sum + (w ?? min), 0);
  while (needed > width) {
    const column = leaving.pop();
    if (!column) break;
    if (shown.size === columns.length) needed += detailsWidth;
    shown.delete(column);
    needed -= column.w ?? column.min ?? DEFAULT_MIN;
  }
  return [...shown];
}
