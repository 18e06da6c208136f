import { idOf, newId } from "../../platform/primitives/ids.ts";
import type { Operation } from "../store.ts";
import type { Event } from "./event.ts";
import type { EventStore } from "./store.ts";

export interface NewEvent extends Pick<Event, "type" | "data"> {
  /** If undefined, it is for every organization that may download the family. */
  organizationId?: string;
  base?: string;
  /** Identifies the occurrence, so that it is announced once even if several servers announce it repeatedly. */
  occurrence?: string;
}

export type Occurrence = NewEvent & { occurrence: string };

/** Adds an event. Call it in the transaction of the change. */
export async function announce(
  tables: { events: EventStore },
  { now }: Pick<Operation, "now">,
  event: NewEvent,
): Promise<void> {
  const { type, data, organizationId = null, base = null, occurrence } = event;
  const id = occurrence === undefined ? newId(now) : idOf(occurrence);
  await tables.events.insert({ id, type, organizationId, base, data, created: now });
}
