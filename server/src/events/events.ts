import { newId } from "../primitives/ids.ts";
import type { Operation } from "../store.ts";
import type { Event } from "./event.ts";
import type { EventStore } from "./store.ts";

/** Without an organization, it is for every organization that may download the family. */
export type NewEvent = Pick<Event, "type" | "data"> & { organizationId?: string; base?: string };

/** Adds an event. Call it in the transaction of the change. */
export async function announce(
  tables: { events: EventStore },
  { now }: Pick<Operation, "now">,
  event: NewEvent,
): Promise<void> {
  const { type, data, organizationId = null, base = null } = event;
  await tables.events.insert({ id: newId(now), type, organizationId, base, data, created: now });
}
