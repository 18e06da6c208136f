import type { ConsoleDownload } from "@dbdepot/contract/console/history";
import type { OperatorAttempt } from "@dbdepot/contract/operator/history";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { formatBytes } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { FULL_TIME_WIDTH, Time } from "../../components/time.tsx";
import { explain } from "./outcomes.ts";

/** An attempt as customers or operators see it. */
export type Attempt = ConsoleDownload & Partial<OperatorAttempt>;

/** The columns of the history. `organizationOf` adds one for operators. */
export function attemptColumns(organizationOf: ((attempt: Attempt) => ReactNode) | undefined): Column<Attempt>[] {
  return [
    { heading: "Time", w: FULL_TIME_WIDTH, cell: ({ created }) => <Time value={created} show="full" /> },
    ...(organizationOf ? [{ heading: "Organization", min: 140, priority: 3, cell: organizationOf } as const] : []),
    {
      heading: "Database",
      min: 140,
      cell: (attempt) => (
        <TwoLines truncate detail={contentOf(attempt)}>
          {attempt.dataset_id || "No id"}
        </TwoLines>
      ),
    },
    { heading: "Result", w: 175, cell: (attempt) => <Result attempt={attempt} /> },
    {
      heading: "Key",
      min: 130,
      priority: 3,
      cell: (attempt) => (
        <Text truncate title={keyOf(attempt)}>
          {keyOf(attempt)}
        </Text>
      ),
    },
    { heading: "Client", min: 140, priority: 3, cell: (attempt) => <Client attempt={attempt} /> },
    {
      heading: "Size",
      w: 100,
      ta: "right",
      priority: 3,
      cell: ({ bytes }) => bytes !== null && formatBytes(bytes),
    },
  ];
}

/** The format, and whether a sample or a patch was asked for instead of the file. */
function contentOf({ format, sample, patch }: Attempt): string {
  return [format || "no format", sample && "sample", patch && "patch"].filter(Boolean).join(", ");
}

function Result({ attempt }: { attempt: Attempt }) {
  const { label, tone } = explain(attempt);
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}

function Client({ attempt: { client_ip, user_agent } }: { attempt: Attempt }) {
  return (
    <>
      <Text truncate title={client_ip ?? undefined}>
        {client_ip}
      </Text>
      <Text size="sm" c="dimmed" truncate title={user_agent ?? undefined}>
        {user_agent}
      </Text>
    </>
  );
}

/** The name of the key, or its id for people who may not see names. Without a key, a person downloaded in the console. */
export function keyOf({ key_name, apikey_id, organization_id }: Attempt): string {
  if (apikey_id) return key_name ?? apikey_id;
  return organization_id === null ? "Not recognized" : "Console";
}
