import { Loader, Paper } from "@mantine/core";
import { type ReactNode, useRef } from "react";
import classes from "./virtual-list.module.css";
import { useVirtualRows } from "./virtual-rows.ts";

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

/** A list of which only the rows in view are rendered. */
export function VirtualList<T extends { id: string }>(props: VirtualListProps<T>) {
  const { label, items, columns, head, row, isLoadingMore, onEnd } = props;
  const list = useRef<HTMLOListElement>(null);
  const rows = useVirtualRows({ container: list, keys: items, estimatedHeight: ROW_HEIGHT, onEnd });
  return (
    <Paper className={classes.table ?? ""}>
      <div className={`${classes.head} ${columns}`} aria-hidden="true">
        {head}
      </div>
      <ol ref={list} className={classes.rows} aria-label={label} style={{ height: rows.height }}>
        {rows.visible.map(({ index, start, key }) => {
          const item = items[index];
          if (!item) return null;
          return (
            <li
              key={key}
              aria-posinset={index + 1}
              aria-setsize={items.length}
              className={`${classes.row} ${columns}`}
              style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
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
