import type { EventType } from "@dbdepot/contract/v2/events";

/**
 * Notifies customers of a change. It is written in the transaction of the change, so neither exists without the other.
 */
export interface Event {
  /** Stays the same when the event is delivered again. */
  id: string;
  /** The change that caused it. Events are ordered by revision, then by id. */
  revision: number;
  type: EventType;
  /** The organization it is for; null if it is for every organization that may download the family. */
  organizationId: string | null;
  /** The family that it is about, if any. */
  base: string | null;
  /** The payload that customers receive. */
  data: Record<string, unknown>;
  created: Date;
}

/** The position of a reader: the last event it has read. */
export type EventPosition = Pick<Event, "revision" | "id">;
