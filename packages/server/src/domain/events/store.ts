import type { OldRows } from "../old-rows.ts";
import type { Event, EventPosition } from "./event.ts";

export interface EventStore extends OldRows {
  /** Part of a change, whose revision it gets. Does nothing if there is an event with this id. */
  insert(event: Omit<Event, "revision">): Promise<void>;
  /** Oldest first, from the beginning if `position` is undefined. */
  after(position: EventPosition | undefined, limit: number): Promise<Event[]>;
  byId(id: string): Promise<Event | undefined>;
  /** Filters out ids that have no event. */
  known(ids: readonly string[]): Promise<Set<string>>;
  /** Events of these types created at `time` or later, oldest first. */
  since(time: Date, types: readonly string[]): Promise<Event[]>;
  /** The newest event. */
  latest(): Promise<EventPosition | undefined>;
}

declare module "../store.ts" {
  interface Tables {
    events: EventStore;
  }
}
