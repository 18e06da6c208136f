import { expect } from "vitest";

export interface ReceivedEvent {
  id?: string;
  event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the event it expects
  data?: any;
}

/** Reads an event stream with fetch. */
export class EventReader {
  readonly #abort = new AbortController();
  #text = "";
  #isClosed = false;
  response: Response | undefined;

  /** Resolves when the response has begun. */
  static async open(url: string, headers: Record<string, string>, lastId?: string): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(`${url}/api/v2/events${lastId ? `?last_event_id=${lastId}` : ""}`, {
      headers,
      signal: reader.#abort.signal,
    });
    reader.response = response;
    void reader.#read(response);
    return reader;
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) this.#text += decoder.decode(chunk, { stream: true });
    } catch {
      // The connection was cut.
    }
    this.#isClosed = true;
  }

  get text(): string {
    return this.#text;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** All complete events so far. */
  get events(): ReceivedEvent[] {
    const blocks = this.#text.split("\n\n").slice(0, -1);
    return blocks.map(parse).filter(({ data }) => data !== undefined);
  }

  get types(): (string | undefined)[] {
    return this.events.map(({ event }) => event);
  }

  async expectTypes(...types: string[]): Promise<void> {
    await expect.poll(() => this.types).toEqual(types);
  }

  async expectClosed(): Promise<void> {
    await expect.poll(() => this.#isClosed).toBe(true);
  }

  close(): void {
    this.#abort.abort();
  }
}

function parse(block: string): ReceivedEvent {
  const event: ReceivedEvent = {};
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([a-z]*)(?:: (.*))?$/.exec(line) ?? [];
    if (name === "id" || name === "event") event[name] = value;
    if (name === "data") event.data = JSON.parse(value);
  }
  return event;
}
