import { Loader, Paper } from "@mantine/core";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import classes from "./virtual-list.module.css";

interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  /** A class with `grid-template-columns`, for the heading and the rows. */
  columns: string | undefined;
  head: ReactNode;
  row: (item: T) => ReactNode;
  isLoadingMore: boolean;
  /** Called when the end of the list is near, to load more. */
  onEnd: () => void;
}

const ROW_HEIGHT = 52;
/** More rows are loaded when fewer than this are left below. */
const ROWS_AHEAD = 50;

/** Renders only the rows in view, so that 100,000 scroll as smoothly as ten. */
export function VirtualList<T extends { id: string }>(props: VirtualListProps<T>) {
  const { label, items, columns, head, row, isLoadingMore, onEnd } = props;
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  // The list moves when the content above it finishes loading.
  useLayoutEffect(() => {
    const measure = () => setTop(list.current?.offsetTop ?? 0);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 10,
    scrollMargin: top,
  });
  const visible = rows.getVirtualItems();
  const isNearEnd = (visible.at(-1)?.index ?? 0) >= items.length - ROWS_AHEAD;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);
  return (
    <Paper className={classes.table ?? ""}>
      <div className={`${classes.head} ${columns}`} aria-hidden="true">
        {head}
      </div>
      <ol ref={list} className={classes.rows} aria-label={label} style={{ height: rows.getTotalSize() }}>
        {visible.map(({ index, start, key }) => {
          const item = items[index];
          if (!item) return null;
          return (
            <li
              key={key}
              aria-posinset={index + 1}
              aria-setsize={items.length}
              className={`${classes.row} ${columns}`}
              style={{ height: ROW_HEIGHT, transform: `translateY(${start - top}px)` }}
            >
              {row(item)}
            </li>
          );
        })}
      </ol>
      {isLoadingMore && <Loader size="xs" m="md" aria-label="Loading more" />}
    </Paper>
  );
}

/** Opens the details of a row, wherever it is clicked. */
export function RowButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={classes.open} onClick={onClick}>
      {children}
    </button>
  );
}
