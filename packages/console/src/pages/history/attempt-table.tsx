import type { ConsoleDownload } from "@dbdepot/contract/console/history";
import type { OperatorAttempt } from "@dbdepot/contract/operator/history";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { formatBytes } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { RowButton, VirtualList } from "../../components/virtual-list.tsx";
import classes from "./history.module.css";
import { explain } from "./outcomes.ts";

/** An attempt as customers or operators see it. */
export type Attempt = ConsoleDownload & Partial<OperatorAttempt>;

interface AttemptTableProps {
  attempts: readonly Attempt[];
  /** Adds a column for operators. */
  organizationOf: ((attempt: Attempt) => ReactNode) | undefined;
  isLoadingMore: boolean;
  onEnd: () => void;
  onOpen: (attempt: Attempt) => void;
}

export function AttemptTable(props: AttemptTableProps) {
  const { attempts, organizationOf, isLoadingMore, onEnd, onOpen } = props;
  return (
    <VirtualList
      label="Download attempts"
      items={attempts}
      columns={`${classes.columns} ${organizationOf ? classes.withOrganization : ""}`}
      isLoadingMore={isLoadingMore}
      onEnd={onEnd}
      head={
        <>
          <span>Time</span>
          {organizationOf && <span className={classes.wide}>Organization</span>}
          <span>Database</span>
          <span>Result</span>
          <span className={classes.wide}>Key</span>
          <span className={classes.wide}>Client</span>
          <span className={classes.size}>Size</span>
        </>
      }
      row={(attempt) => (
        <AttemptCells attempt={attempt} organization={organizationOf?.(attempt)} onOpen={() => onOpen(attempt)} />
      )}
    />
  );
}

interface AttemptCellsProps {
  attempt: Attempt;
  organization: ReactNode;
  onOpen: () => void;
}

function AttemptCells({ attempt, organization, onOpen }: AttemptCellsProps) {
  const { dataset_id, format, created, client_ip, user_agent, bytes, sample } = attempt;
  const { label, tone } = explain(attempt);
  return (
    <>
      <span>
        <RowButton onClick={onOpen}>
          <Time value={created} show="full" />
        </RowButton>
      </span>
      {organization !== undefined && (
        <Text component="span" className={`${classes.cell} ${classes.wide}`} truncate>
          {organization}
        </Text>
      )}
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
      <Text component="span" className={`${classes.cell} ${classes.wide}`} truncate title={keyOf(attempt)}>
        {keyOf(attempt)}
      </Text>
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

/** The name of the key, or its id for people who may not see names. Without a key, a person downloaded in the console. */
export function keyOf({ key_name, apikey_id, organization_id }: Attempt): string {
  if (apikey_id) return key_name ?? apikey_id;
  return organization_id === null ? "Not recognized" : "Console";
}
