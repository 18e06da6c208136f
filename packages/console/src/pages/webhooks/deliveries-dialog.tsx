import type { Delivery, Webhook } from "@dbdepot/contract/v2/webhooks";
import { Button, Group, Modal, Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { IconListDetails, IconSend } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatDuration } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import { eventLabel } from "./event-types.ts";
import { DeliveryState, responseOf } from "./state.tsx";
import { WEBHOOKS_KEY, type WebhookSource } from "./webhook-source.ts";

interface DeliveriesDialogProps {
  source: WebhookSource;
  webhook: Webhook;
  canChange: boolean;
  onClose: () => void;
}

/** The requests to a webhook, newest first, with a button for a test. */
export function DeliveriesDialog({ source, webhook, canChange, onClose }: DeliveriesDialogProps) {
  const query = useInfiniteQuery({
    queryKey: [...source.queryKey, webhook.id, "deliveries"],
    queryFn: ({ pageParam }) => source.deliveries(webhook.id, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  const send = useSend(() => source.test(webhook.id));
  const data = query.data?.pages.flatMap(({ items }) => items);
  return (
    <Modal opened onClose={onClose} title="Deliveries" size={880} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Text style={{ overflowWrap: "anywhere", flex: "1 1 240px" }}>
            <code>{webhook.url}</code>
          </Text>
          {canChange && (
            <Button
              variant="default"
              leftSection={<IconSend size={16} stroke={1.8} />}
              loading={send.isPending}
              onClick={() => send.mutate()}
            >
              Send test event
            </Button>
          )}
        </Group>
        <Loaded
          query={{ ...query, data }}
          rows={3}
          isEmpty={(all) => all.length === 0}
          empty={
            <EmptyState
              icon={IconListDetails}
              title="No deliveries yet"
              text="Requests of the last 30 days are listed here. Send a test event to see whether your receiver works."
            />
          }
        >
          {(all) => <DeliveriesTable source={source} webhook={webhook} deliveries={all} canChange={canChange} />}
        </Loaded>
        {query.hasNextPage && (
          <Group justify="center">
            <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show older ones
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

interface DeliveriesTableProps {
  source: WebhookSource;
  webhook: Webhook;
  deliveries: Delivery[];
  canChange: boolean;
}

function DeliveriesTable({ source, webhook, deliveries, canChange }: DeliveriesTableProps) {
  return (
    <TableCard label="Deliveries" minWidth={640} stacks>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Event</Table.Th>
          <Table.Th>Result</Table.Th>
          <Table.Th>Response</Table.Th>
          <Table.Th>Sent</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => (
          <Table.Tr key={delivery.id}>
            <Table.Td>
              <div>
                <Text fw={500}>{eventLabel(delivery.event_type)}</Text>
                {delivery.attempt > 1 && (
                  <Text size="sm" c="dimmed">
                    attempt {delivery.attempt}
                  </Text>
                )}
              </div>
            </Table.Td>
            <Table.Td data-label="Result" miw={130}>
              <DeliveryState delivery={delivery} />
            </Table.Td>
            <Table.Td data-label="Response">
              <div style={{ maxWidth: 220 }}>
                <Text>{responseOf(delivery)}</Text>
                <Text size="sm" c="dimmed">
                  {formatDuration(delivery.duration_ms)}
                </Text>
              </div>
            </Table.Td>
            <Table.Td data-label="Sent">
              <Time value={delivery.created} show="full" />
            </Table.Td>
            <Table.Td>
              {canChange && delivery.trigger !== "test" && (
                <RedeliverButton source={source} webhook={webhook} delivery={delivery} />
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
}

interface RedeliverButtonProps {
  source: WebhookSource;
  webhook: Webhook;
  delivery: Delivery;
}

function RedeliverButton({ source, webhook, delivery }: RedeliverButtonProps) {
  const send = useSend(() => source.redeliver(webhook.id, delivery.id));
  return (
    <Button
      variant="default"
      size="xs"
      loading={send.isPending}
      onClick={() => send.mutate()}
      aria-label={`Send again: ${eventLabel(delivery.event_type)}`}
    >
      Send again
    </Button>
  );
}

/** Sends a request, says how the receiver responded, and shows it in the list. */
function useSend(request: () => Promise<Delivery>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: request,
    onSuccess: async (delivery) => {
      await queryClient.invalidateQueries({ queryKey: [WEBHOOKS_KEY] });
      if (delivery.outcome === "delivered") showSuccess(`The receiver accepted it: ${responseOf(delivery)}.`);
      else showError(new Error(`The receiver did not accept it: ${responseOf(delivery)}.`));
    },
    onError: showError,
  });
}
