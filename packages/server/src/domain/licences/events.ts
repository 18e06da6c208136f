import type { EventType } from "@dbdepot/contract/v2/events";
import type { NewEvent, Occurrence } from "../events/events.ts";
import type { Licence } from "./licence.ts";

type LicenceEventType = Extract<EventType, `licence.${string}`>;

/** Days before the end of a licence on which its organization is reminded. */
export const LICENCE_NOTICE_DAYS = [60, 30, 7];

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

/** Announced once, whether an operator ended the licence or its term is over. */
export function licenceEndedEvent(licence: Licence): Occurrence {
  return {
    ...licenceEvent("licence.ended", licence),
    occurrence: `licence.ended ${licence.id} ${licence.expires?.toISOString()}`,
  };
}

/** A licence whose end has moved is announced again. */
export function licenceEndingEvent(licence: Licence, daysLeft: number): Occurrence {
  const event = licenceEvent("licence.ending", licence);
  return {
    ...event,
    data: { ...event.data, days_left: daysLeft },
    occurrence: `licence.ending ${licence.id} ${licence.expires?.toISOString()} ${daysLeft}`,
  };
}
