import { type Ref, useRef } from "react";
import { TableFrame, type TableProps } from "./table-frame.tsx";
import { Row } from "./table-row.tsx";
import { useVirtualRows } from "./virtual-rows.ts";

const ROW_HEIGHT = 57;

interface VirtualTableProps<T> extends TableProps<T> {
  rows: readonly T[];
  onEnd: (() => void) | undefined;
}

/** A table of which only the rows in view are rendered. */
export function VirtualTable<T extends { id: string }>({ rows, onEnd, ...table }: VirtualTableProps<T>) {
  const start = useRef<HTMLTableSectionElement>(null);
  const virtual = useVirtualRows({ container: start, keys: rows, estimatedHeight: ROW_HEIGHT, onEnd });
  return (
    <TableFrame {...table} rowCount={rows.length + 1}>
      {(layout) => (
        <>
          <Gap ref={start} height={virtual.above} />
          {virtual.visible.map(({ index, key }) => {
            const row = rows[index];
            const place = { index, measure: virtual.measure };
            return row && <Row key={key} {...table} layout={layout} row={row} place={place} />;
          })}
          <Gap height={virtual.below} />
        </>
      )}
    </TableFrame>
  );
}

/** Takes the place of rows that are not rendered. */
function Gap({ height, ref }: { height: number; ref?: Ref<HTMLTableSectionElement> }) {
  return (
    <tbody ref={ref} aria-hidden>
      {height > 0 && <tr style={{ height, display: "block" }} />}
    </tbody>
  );
}
