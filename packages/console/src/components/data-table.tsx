import { Button, Group, Loader } from "@mantine/core";
import { lazy, type ReactNode, Suspense } from "react";
import { loadChunk } from "../app/chunks.tsx";
import { Loaded, type LoadedQuery } from "./loaded.tsx";
import { TableFrame, type TableProps } from "./table-frame.tsx";
import { Row } from "./table-row.tsx";

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

/** Tables with more rows render only those in view, with code that few pages need. */
const ALL_ROWS = 60;

const VirtualTable = lazy(async () => {
  const { VirtualTable: component } = await loadChunk(() => import("./virtual-table.tsx"));
  return { default: component };
});

/** A table of what a query returned, with its loading, error and empty states, and further rows on demand. */
export function DataTable<T extends { id: string }>(props: DataTableProps<T>) {
  const { query, empty, placeholders = 5, more, onEnd, isLoadingMore = false, ...table } = props;
  return (
    <Loaded query={query} rows={placeholders} isEmpty={(rows) => rows.length === 0} empty={empty}>
      {(rows) => (
        <>
          {rows.length > ALL_ROWS ? (
            <Suspense fallback={<PlainTable {...table} rows={rows.slice(0, ALL_ROWS)} keyOf={({ id }) => id} />}>
              <VirtualTable {...(table as TableProps<{ id: string }>)} rows={rows} onEnd={onEnd} />
            </Suspense>
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

interface PlainTableProps<T> extends TableProps<T> {
  rows: readonly T[];
  keyOf: (row: T) => string;
}

/** A table of rows that are already there. */
export function PlainTable<T>({ rows, keyOf, ...table }: PlainTableProps<T>) {
  return (
    <TableFrame {...table}>
      {(layout) => rows.map((row) => <Row key={keyOf(row)} {...table} layout={layout} row={row} />)}
    </TableFrame>
  );
}
