import type { ApiKey } from "@dbdepot/contract/iam/keys";
import { StatusBadge } from "../../components/status-badge.tsx";

export function isUsable({ revoked, expires }: ApiKey): boolean {
  return !revoked && !(expires && Date.parse(expires) <= Date.now());
}

export function KeyState({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.revoked) return <StatusBadge tone="bad">Revoked</StatusBadge>;
  if (!isUsable(apiKey)) return <StatusBadge tone="bad">Expired</StatusBadge>;
  if (apiKey.allowed_scopes.length === 0) return <StatusBadge tone="warning">No scopes</StatusBadge>;
  return <StatusBadge tone="good">Active</StatusBadge>;
}
