import type { ErasurePlan as WirePlan } from "@dbdepot/contract/operator/privacy";
import { type ErasurePlan, lastWarning } from "./erase.ts";

export function erasurePlanToWire({ person: { email, account }, rows, last }: ErasurePlan): WirePlan {
  const warning = last && lastWarning(last, email, account);
  return { email, account_id: account?.id ?? null, rows, last, warning };
}
