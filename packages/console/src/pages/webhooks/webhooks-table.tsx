import type { Webhook } from "@dbdepot/contract/v2/webhooks";
import { Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import type { WebhookAction } from "./actions.ts";
import { eventLabel } from "./event-types.ts";
import { WebhookState } from "./state.tsx";
import { WebhookMenu } from "./webhook-menu.tsx";
import type { WebhookSource } from "./webhook-source.ts";

interface WebhooksTableProps {
  source: WebhookSource;
  webhooks: Webhook[];
  canChange: boolean;
  onAction: (action: WebhookAction) => void;
}

export function WebhooksTable({ source, webhooks, canChange, onAction }: WebhooksTableProps) {
  return (
    <TableCard label="Webhooks" minWidth={860} stacks>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>URL</Table.Th>
          <Table.Th>Status</Table.Th>
          <Table.Th>Events</Table.Th>
          <Table.Th>Last delivered</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th w={56}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {webhooks.map((webhook) => (
          <Table.Tr key={webhook.id}>
            <Table.Td maw={320}>
              <div style={{ minWidth: 0 }}>
                <Text fw={500} truncate title={webhook.url}>
                  {webhook.url}
                </Text>
                {webhook.description && (
                  <Text size="sm" c="dimmed" truncate title={webhook.description}>
                    {webhook.description}
                  </Text>
                )}
              </div>
            </Table.Td>
            <Table.Td data-label="Status">
              <WebhookState webhook={webhook} />
            </Table.Td>
            <Table.Td data-label="Events">
              <EventTypes types={webhook.event_types} />
            </Table.Td>
            <Table.Td data-label="Last delivered">
              {webhook.last_delivered ? <Time value={webhook.last_delivered} /> : <Text c="dimmed">Never</Text>}
            </Table.Td>
            <Table.Td data-label="Created">
              <Time value={webhook.created} show="date" />
            </Table.Td>
            <Table.Td data-actions>
              <WebhookMenu source={source} webhook={webhook} canChange={canChange} onAction={onAction} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}

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
