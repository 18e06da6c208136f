import type { Download } from "@dbdepot/contract/downloads";
import { Loader, Paper, Text } from "@mantine/core";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { formatBytes } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import classes from "./history.module.css";
import { explain } from "./outcomes.ts";

interface AttemptTableProps {
  attempts: Download[];
  isLoadingMore: boolean;
  /** The last row has come into view. */
  onEnd: () => void;
  onOpen: (attempt: Download) => void;
}

const ROW_HEIGHT = 52;

/** Renders only the rows in view, so that 100,000 scroll as smoothly as ten. */
export function AttemptTable({ attempts, isLoadingMore, onEnd, onOpen }: AttemptTableProps) {
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: attempts.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    scrollMargin: top,
  });
  const visible = rows.getVirtualItems();
  const isAtEnd = (visible.at(-1)?.index ?? 0) >= attempts.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, onEnd]);
  return (
    <Paper className={classes.table ?? ""}>
      <div className={classes.head} aria-hidden="true">
        <span>Time</span>
        <span>Database</span>
        <span>Result</span>
        <span className={classes.wide}>Client</span>
        <span className={classes.size}>Size</span>
      </div>
      <ol ref={list} className={classes.rows} aria-label="Download attempts" style={{ height: rows.getTotalSize() }}>
        {visible.map(({ index, start, key }) => {
          const attempt = attempts[index];
          if (!attempt) return null;
          return (
            <li
              key={key}
              aria-posinset={index + 1}
              aria-setsize={attempts.length}
              className={classes.row}
              style={{ height: ROW_HEIGHT, transform: `translateY(${start - top}px)` }}
            >
              <AttemptCells attempt={attempt} onOpen={() => onOpen(attempt)} />
            </li>
          );
        })}
      </ol>
      {isLoadingMore && <Loader size="xs" m="md" aria-label="Loading more" />}
    </Paper>
  );
}

function AttemptCells({ attempt, onOpen }: { attempt: Download; onOpen: () => void }) {
  const { dataset_id, format, created, client_ip, user_agent, bytes, sample } = attempt;
  const { label, tone } = explain(attempt);
  return (
    <>
      <span>
        <button type="button" className={classes.open} onClick={onOpen}>
          <Time value={created} show="full" />
        </button>
      </span>
      <span className={classes.cell}>
        <Text component="span" display="block" truncate fw={500}>
          {dataset_id || "No id"}
        </Text>
        <Text component="span" display="block" size="sm" c="dimmed" truncate>
          {format || "no format"}
          {sample && ", sample"}
        </Text>
      </span>
      <span>
        <StatusBadge tone={tone}>{label}</StatusBadge>
      </span>
      <span className={`${classes.cell} ${classes.wide}`}>
        <Text component="span" display="block" truncate>
          {client_ip}
        </Text>
        <Text component="span" display="block" size="sm" c="dimmed" truncate>
          {user_agent}
        </Text>
      </span>
      <span className={classes.size}>{bytes !== null && formatBytes(bytes)}</span>
    </>
  );
}
