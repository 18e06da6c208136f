import { DbdepotError } from "./errors.ts";

/** Far larger than any event. Limits the memory that a response of another kind can use. */
const MESSAGE_MAX_LENGTH = 1024 * 1024;

export interface StreamMessage {
  type: string;
  data: string;
}

/** Parses server-sent events, as the HTML standard defines them. */
export class EventStreamParser {
  /** What to send as `Last-Event-ID` after a reconnect. */
  lastEventId: string;
  /** How long the server asks clients to wait before they reconnect. */
  retryMs: number | undefined;
  #rest = "";
  #type = "";
  #data: string[] = [];
  #length = 0;

  constructor(lastEventId = "", retryMs?: number) {
    this.lastEventId = lastEventId;
    this.retryMs = retryMs;
  }

  /** Takes the next part of the text, which may end anywhere, and returns the messages that are complete. */
  push(text: string): StreamMessage[] {
    const all = this.#rest + text;
    // It may be the first half of a line break.
    const held = all.endsWith("\r") ? "\r" : "";
    const lines = all.slice(0, all.length - held.length).split(/\r\n|\r|\n/);
    this.#rest = (lines.pop() ?? "") + held;
    const messages = lines.flatMap((line) => this.#takeLine(line) ?? []);
    if (this.#rest.length + this.#length > MESSAGE_MAX_LENGTH) {
      throw new DbdepotError("server", "the service sent an event that is too large");
    }
    return messages;
  }

  #takeLine(line: string): StreamMessage | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#type = value;
    if (name === "id" && !value.includes("\0")) this.lastEventId = value;
    if (name === "retry" && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    if (name === "data") {
      this.#data.push(value);
      this.#length += value.length + 1;
    }
    return undefined;
  }

  #dispatch(): StreamMessage | undefined {
    const message = { type: this.#type || "message", data: this.#data.join("\n") };
    const hasData = this.#data.length > 0;
    this.#type = "";
    this.#data = [];
    this.#length = 0;
    return hasData ? message : undefined;
  }
}
