import type { EventType } from "@dbdepot/contract/events";
import type { NewEvent } from "../events/events.ts";
import type { Licence } from "./licence.ts";

type LicenceEventType = Extract<EventType, `licence.${string}`>;

export function licenceEvent(type: LicenceEventType, licence: Licence): NewEvent {
  return {
    type,
    organizationId: licence.organizationId,
    base: licence.base,
    data: {
      id: licence.id,
      base: licence.base,
      redistribution: licence.redistribution,
      starts: licence.starts.toISOString(),
      expires: licence.expires?.toISOString() ?? null,
      renews_at: licence.renewsAt?.toISOString() ?? null,
    },
  };
}
