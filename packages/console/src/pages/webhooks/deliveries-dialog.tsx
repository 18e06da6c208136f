import type { Delivery, Webhook } from "@dbdepot/contract/v2/webhooks";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconListDetails, IconSend } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { type Column, DataTable, TwoLines } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatDuration } from "../../components/format.ts";
import { showError, showSuccess } from "../../components/notices.ts";
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
        <DataTable
          label="Deliveries"
          query={{ ...query, data: query.data?.pages.flatMap(({ items }) => items) }}
          placeholders={3}
          columns={COLUMNS}
          actions={(delivery) =>
            canChange &&
            delivery.trigger !== "test" && <RedeliverButton source={source} webhook={webhook} delivery={delivery} />
          }
          more={
            query.hasNextPage && {
              label: "Show older ones",
              isLoading: query.isFetchingNextPage,
              onClick: () => void query.fetchNextPage(),
            }
          }
          empty={
            <EmptyState
              icon={IconListDetails}
              title="No deliveries yet"
              text="Requests of the last 30 days are listed here. Send a test event to see whether your receiver works."
            />
          }
          minWidth={640}
          stacks
        />
      </Stack>
    </Modal>
  );
}

const COLUMNS: Column<Delivery>[] = [
  {
    heading: "Event",
    cell: ({ event_type, attempt }) => (
      <TwoLines detail={attempt > 1 && `attempt ${attempt}`}>{eventLabel(event_type)}</TwoLines>
    ),
  },
  { heading: "Result", cell: (delivery) => <DeliveryState delivery={delivery} /> },
  {
    heading: "Response",
    maw: 220,
    cell: (delivery) => (
      <>
        <Text>{responseOf(delivery)}</Text>
        <Text size="sm" c="dimmed">
          {formatDuration(delivery.duration_ms)}
        </Text>
      </>
    ),
  },
  { heading: "Sent", cell: ({ created }) => <Time value={created} show="full" /> },
];

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
