import type { EventType } from "@dbdepot/contract/events";
import type { NewEvent } from "../events/events.ts";
import type { Key } from "./key.ts";

export type KeyEventType = Extract<EventType, `key.${string}`>;

export function keyEvent(type: KeyEventType, key: Key & { organizationId: string }): NewEvent {
  return {
    type,
    organizationId: key.organizationId,
    data: { id: key.id, name: key.name, key_prefix: key.prefix, expires: key.expires?.toISOString() ?? null },
  };
}
