import type { OperatorLicence } from "@dbdepot/contract/operator/licences";
import { isLive, type Licence } from "./licence.ts";

export function licenceToWire(licence: Licence, now: Date): OperatorLicence {
  return {
    id: licence.id,
    organization_id: licence.organizationId,
    base: licence.base,
    redistribution: licence.redistribution,
    starts: licence.starts.toISOString(),
    expires: licence.expires?.toISOString() ?? null,
    state: stateOf(licence, now),
    created: licence.created.toISOString(),
    renews_at: licence.renewsAt?.toISOString() ?? null,
    notice_due_at: licence.noticeDueAt?.toISOString() ?? null,
    external_id: licence.externalId,
    terms: licence.termsId,
  };
}

function stateOf(licence: Licence, now: Date): OperatorLicence["state"] {
  if (isLive(licence, now)) return "live";
  const willLive = now < licence.starts && (licence.expires === null || licence.starts < licence.expires);
  return willLive ? "upcoming" : "ended";
}
