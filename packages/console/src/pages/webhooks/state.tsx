import type { Delivery, Webhook } from "@dbdepot/contract/v2/webhooks";
import { DetailedStatus, StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";

const REASONS = {
  manual: "by hand",
  failing: "no success for a week",
  gone: "the receiver responded with 410",
};

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { disabled_reason: reason, failing_since: since, next_attempt: next } = webhook;
  if (reason) {
    return <DetailedStatus tone={reason === "manual" ? "neutral" : "bad"} label="Disabled" detail={REASONS[reason]} />;
  }
  if (!since) return <StatusBadge tone="good">Enabled</StatusBadge>;
  const detail = (
    <>
      since <Time value={since} />
      {next && (
        <>
          , next try <Time value={next} />
        </>
      )}
    </>
  );
  return <DetailedStatus tone="warning" label="Failing" detail={detail} />;
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
