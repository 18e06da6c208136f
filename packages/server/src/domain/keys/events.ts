import type { EventType } from "@dbdepot/contract/v2/events";
import type { NewEvent, Occurrence } from "../events/events.ts";
import type { Key } from "./key.ts";

export type KeyEventType = Extract<EventType, `key.${string}`>;

/** Days before the expiry of a key on which its organization is reminded. */
export const KEY_NOTICE_DAYS = [7];

export function keyEvent(type: KeyEventType, key: Key & { organizationId: string }): NewEvent {
  return {
    type,
    organizationId: key.organizationId,
    data: { id: key.id, name: key.name, key_prefix: key.prefix, expires: key.expires?.toISOString() ?? null },
  };
}

export function keyExpiringEvent(key: Key & { organizationId: string }, daysLeft: number): Occurrence {
  const event = keyEvent("key.expiring", key);
  return {
    ...event,
    data: { ...event.data, days_left: daysLeft },
    occurrence: `key.expiring ${key.id} ${key.expires?.toISOString()} ${daysLeft}`,
  };
}
