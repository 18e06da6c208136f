import type { Delivery, Webhook } from "@dbdepot/contract/v2/webhooks";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconListDetails, IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatDuration } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { useLog } from "../../components/log.ts";
import { BackLink, Page } from "../../components/page.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { FULL_TIME_WIDTH, Time } from "../../components/time.tsx";
import { eventLabel } from "./event-types.ts";
import { useSend } from "./send.ts";
import { useShownWebhook } from "./shown-webhook.ts";
import { DeliveryState, responseOf, WebhookState } from "./state.tsx";
import { deliveryPage, type WebhookSource } from "./webhook-source.ts";

/** The requests to one webhook, newest first, with a button for a test. */
export function Deliveries() {
  const { source, webhook: id, canChange } = useShownWebhook();
  const webhook = useQuery({ queryKey: [...source.queryKey, id], queryFn: () => source.get(id) });
  const send = useSend(() => source.test(id));
  return (
    <Stack gap="sm">
      <WebhooksLink source={source} />
      <Page
        title="Deliveries"
        description={<Loaded query={webhook}>{(found) => <Target webhook={found} />}</Loaded>}
        actions={
          canChange && (
            <Button
              leftSection={<IconSend size={16} stroke={1.8} />}
              loading={send.isPending}
              onClick={() => send.mutate()}
            >
              Send test event
            </Button>
          )
        }
      >
        <DeliveryList source={source} webhook={id} canChange={canChange} />
      </Page>
    </Stack>
  );
}

/** Leads back to the list of webhooks. */
function WebhooksLink({ source: { organizationId: id } }: { source: WebhookSource }) {
  if (id === undefined) return <BackLink to="/webhooks">Webhooks</BackLink>;
  return (
    <BackLink to="/organizations/$id" params={{ id }} search={{ tab: "webhooks" }}>
      Webhooks
    </BackLink>
  );
}

function Target({ webhook }: { webhook: Webhook }) {
  return (
    <Stack gap="xs" align="flex-start">
      <code style={{ overflowWrap: "anywhere" }}>{webhook.url}</code>
      {webhook.description && <Text inherit>{webhook.description}</Text>}
      <WebhookState webhook={webhook} />
    </Stack>
  );
}

interface DeliveryListProps {
  source: WebhookSource;
  webhook: string;
  canChange: boolean;
}

function DeliveryList({ source, webhook, canChange }: DeliveryListProps) {
  const log = useLog({
    queryKey: [...source.queryKey, webhook, "deliveries"],
    load: (url) => source.deliveries(webhook, url),
  });
  return (
    <DataTable
      label="Deliveries"
      {...log}
      columns={COLUMNS}
      linkOf={({ id }) => deliveryPage(source, webhook, id)}
      actionsWidth={128}
      actions={(delivery) =>
        canChange &&
        delivery.trigger !== "test" && <RedeliverButton source={source} webhook={webhook} delivery={delivery} />
      }
      empty={
        <EmptyState
          icon={IconListDetails}
          title="No deliveries yet"
          text="Requests of the last 30 days are listed here. Send a test event to see whether your receiver works."
        />
      }
    />
  );
}

const COLUMNS: Column<Delivery>[] = [
  {
    heading: "Event",
    cell: ({ event_type, attempt }) => (
      <TwoLines detail={attempt > 1 && `attempt ${attempt}`}>{eventLabel(event_type)}</TwoLines>
    ),
  },
  { heading: "Result", w: 150, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  {
    heading: "Response",
    min: 150,
    priority: 3,
    cell: (delivery) => (
      <Group gap="xs">
        <Text>{responseOf(delivery)}</Text>
        <Text size="sm" c="dimmed">
          {formatDuration(delivery.duration_ms)}
        </Text>
      </Group>
    ),
  },
  { heading: "Sent", w: FULL_TIME_WIDTH, cell: ({ created }) => <Time value={created} show="full" /> },
];

interface RedeliverButtonProps {
  source: WebhookSource;
  webhook: string;
  delivery: Delivery;
}

export function RedeliverButton({ source, webhook, delivery }: RedeliverButtonProps) {
  const send = useSend(() => source.redeliver(webhook, delivery.id));
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
