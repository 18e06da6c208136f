import type { Event, EventPosition } from "./event.ts";

export interface EventStore {
  /** Part of a change, whose revision it gets. */
  insert(event: Omit<Event, "revision">): Promise<void>;
  /** Oldest first, from the beginning if `position` is undefined. */
  after(position: EventPosition | undefined, limit: number): Promise<Event[]>;
  byId(id: string): Promise<Event | undefined>;
  /** The newest event. */
  latest(): Promise<EventPosition | undefined>;
  /** Removes events created before `time`. */
  removeBefore(time: Date): Promise<number>;
}
