import type { Event, EventPosition } from "./event.ts";
import type { EventStore } from "./store.ts";

const PAGE_SIZE = 200;
const RETRY_MS = 1000;

/** The part of the register that says when something has changed. */
interface ChangingRegister {
  readonly revision: number;
  onChange(listener: () => void): void;
}

type Listener = (events: readonly Event[]) => void;

/**
 * Reads new events, once for all streams of this process: when the register has changed, and only those whose change the
 * register includes, because it decides who receives them.
 */
export class EventFeed {
  readonly #events: Pick<EventStore, "after" | "latest">;
  readonly #register: ChangingRegister;
  readonly #onFailure: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  #position: EventPosition | undefined;
  #reading: Promise<void> | undefined;
  #hasChanged = false;
  #isStopped = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(
    events: Pick<EventStore, "after" | "latest">,
    register: ChangingRegister,
    onFailure: (error: unknown) => void,
  ) {
    this.#events = events;
    this.#register = register;
    this.#onFailure = onFailure;
  }

  async start(): Promise<void> {
    this.#position = await this.#events.latest();
    this.#register.onChange(() => this.#wake());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    await this.#reading;
  }

  /** The newest event that listeners have received. */
  get position(): EventPosition | undefined {
    return this.#position;
  }

  /** Calls the listener with new events, in order. Returns a function that stops it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A page of the events after `from` up to `to`. */
  async between(from: EventPosition, to: EventPosition | undefined): Promise<Event[]> {
    const page = to && isAfter(to, from) ? await this.#events.after(from, PAGE_SIZE) : [];
    return page.filter((event) => to && !isAfter(event, to));
  }

  #wake(): void {
    this.#hasChanged = true;
    if (this.#isStopped) return;
    this.#reading ??= this.#readAll()
      .catch((error) => {
        this.#onFailure(error);
        this.#retry = setTimeout(() => this.#wake(), RETRY_MS).unref();
      })
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #readAll(): Promise<void> {
    while (this.#hasChanged && !this.#isStopped) {
      this.#hasChanged = false;
      const { revision } = this.#register;
      const page = await this.#events.after(this.#position, PAGE_SIZE);
      const events = page.filter((event) => event.revision <= revision);
      this.#position = events.at(-1) ?? this.#position;
      if (events.length === PAGE_SIZE) this.#hasChanged = true;
      if (events.length > 0) for (const listener of this.#listeners) listener(events);
    }
  }
}

export function isAfter(event: EventPosition, other: EventPosition): boolean {
  return event.revision === other.revision ? event.id > other.id : event.revision > other.revision;
}
