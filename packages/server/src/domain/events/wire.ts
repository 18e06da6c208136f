import type { WireEvent } from "@dbdepot/contract/v2/events";
import type { Event } from "./event.ts";

/** An event as streams and webhooks send it. Tests compare the data of every type with its schema. */
export function eventToWire({ id, type, data, created }: Event): WireEvent {
  return { id, type, timestamp: created.toISOString(), data } as WireEvent;
}
