import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import { StatusBadge, type Tone } from "../../components/status-badge.tsx";
import type { RequestState } from "./filter.ts";

const STATES: Record<RequestState, { label: string; tone: Tone }> = {
  pending: { label: "Pending", tone: "warning" },
  granted: { label: "Granted", tone: "good" },
  declined: { label: "Declined", tone: "neutral" },
};

export const STATE_OPTIONS = Object.entries(STATES).map(([value, { label }]) => ({ value, label }));

export function RequestStateBadge({ request: { state } }: { request: OperatorRequest }) {
  const { label, tone } = STATES[state];
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}

const STANDINGS: Record<OperatorRequest["standing"], string> = {
  licensed: "Licensed",
  expired: "Ended",
  unlicensed: "None",
};

export function standingOf({ standing }: OperatorRequest): string {
  return STANDINGS[standing];
}
