import type { Delivery, Webhook } from "@dbdepot/contract/v2/webhooks";
import { Stack, Text } from "@mantine/core";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";

const REASONS = {
  manual: "by hand",
  failing: "no success for a week",
  gone: "the receiver responded with 410",
};

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { disabled_reason: reason, failing_since: since, next_attempt: next } = webhook;
  if (reason) {
    return (
      <Stack gap={2} align="flex-start">
        <StatusBadge tone={reason === "manual" ? "neutral" : "bad"}>Disabled</StatusBadge>
        <Text size="sm" c="dimmed">
          {REASONS[reason]}
        </Text>
      </Stack>
    );
  }
  if (!since) return <StatusBadge tone="good">Enabled</StatusBadge>;
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone="warning">Failing</StatusBadge>
      <Text size="sm" c="dimmed">
        since <Time value={since} />
        {next && (
          <>
            , next try <Time value={next} />
          </>
        )}
      </Text>
    </Stack>
  );
}

const OUTCOMES = {
  delivered: { tone: "good", label: "Delivered" },
  failed: { tone: "warning", label: "Failed" },
  given_up: { tone: "bad", label: "Given up" },
} as const;

export function DeliveryState({ delivery }: { delivery: Delivery }) {
  const { tone, label } = OUTCOMES[delivery.outcome];
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}

/** Describes the receiver's response, or why there was none. */
export function responseOf({ http_status: status, error }: Delivery): string {
  return status === null ? (error ?? "no response") : `HTTP ${status}`;
}
