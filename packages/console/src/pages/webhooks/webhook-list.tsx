import type { Webhook } from "@dbdepot/contract/v2/webhooks";
import { Stack, Text } from "@mantine/core";
import { IconWebhook } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { LastTime, Time } from "../../components/time.tsx";
import type { WebhookAction } from "./actions.ts";
import { eventLabel } from "./event-types.ts";
import { WebhookState } from "./state.tsx";
import { WebhookDialogs } from "./webhook-dialogs.tsx";
import { WebhookMenu } from "./webhook-menu.tsx";
import { deliveriesPage, type WebhookSource } from "./webhook-source.ts";

interface WebhookListProps {
  source: WebhookSource;
  action: WebhookAction | undefined;
  onAction: (action: WebhookAction | undefined) => void;
  /** Whether the person may change webhooks, or only look at them. */
  canChange?: boolean;
  emptyText: string;
}

/** Lists the webhooks of an organization, with the actions for each. */
export function WebhookList({ source, action, onAction, canChange = true, emptyText }: WebhookListProps) {
  const webhooks = useQuery({ queryKey: source.queryKey, queryFn: source.list });
  return (
    <>
      <DataTable
        label="Webhooks"
        query={webhooks}
        columns={COLUMNS}
        linkOf={({ id }) => deliveriesPage(source, id)}
        actions={(webhook) => (
          <WebhookMenu source={source} webhook={webhook} canChange={canChange} onAction={onAction} />
        )}
        empty={<EmptyState icon={IconWebhook} title="No webhooks yet" text={emptyText} />}
      />
      {action && <WebhookDialogs source={source} action={action} onAction={onAction} />}
    </>
  );
}

const COLUMNS: Column<Webhook>[] = [
  {
    heading: "URL",
    min: 220,
    cell: ({ url, description }) => (
      <TwoLines truncate detail={description}>
        {url}
      </TwoLines>
    ),
  },
  { heading: "Status", min: 140, cell: (webhook) => <WebhookState webhook={webhook} /> },
  { heading: "Events", min: 140, cell: ({ event_types }) => <EventTypes types={event_types} /> },
  { heading: "Last delivered", w: 145, cell: ({ last_delivered }) => <LastTime value={last_delivered} /> },
  { heading: "Created", w: 135, priority: 3, cell: ({ created }) => <Time value={created} show="date" /> },
];

const TYPES_SHOWN = 2;

function EventTypes({ types }: { types: string[] | null }) {
  if (types === null) return <Text>All</Text>;
  const labels = types.map(eventLabel);
  const more = labels.length - TYPES_SHOWN;
  return (
    <Stack gap={2}>
      {labels.slice(0, TYPES_SHOWN).map((label) => (
        <Text key={label}>{label}</Text>
      ))}
      {more > 0 && (
        <Text c="dimmed" title={labels.slice(TYPES_SHOWN).join(", ")}>
          and {more} more
        </Text>
      )}
    </Stack>
  );
}
